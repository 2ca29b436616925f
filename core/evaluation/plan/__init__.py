"""What is scored: evaluation examples and the prompts that fit a model's window."""
