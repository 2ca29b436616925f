"""A language model on this machine: prompts and answers to tokens, rows, log-probabilities."""
