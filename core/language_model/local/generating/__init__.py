"""Texts that a causal model writes after prompts, several side by side."""
