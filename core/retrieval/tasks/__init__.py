"""A pool's task: its labels, the exemplars that stand for it, and the states it gives texts."""
