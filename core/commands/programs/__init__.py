"""The command `run`: programs over the questions of a pool."""
