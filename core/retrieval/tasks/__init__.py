"""A pool's task: its labels, its exemplars, and the states of texts under it."""
