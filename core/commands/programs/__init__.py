"""`bootstrap` and `run`: programs write demonstrations, or answer the questions of a pool."""
