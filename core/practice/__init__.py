"""The practice model: its task, its training, its pools, and the checks of what it learned."""
