"""What is asked: evaluation examples and the prompts that fit a model's window."""
