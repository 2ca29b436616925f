"""What a study takes where an option is not given, beside the defaults of `core`."""

HELD_OUT, SEEDS = 0.2, 3
"""The share of a pool's queries that is held out, and over how many seeds that is repeated."""
PGRA_KEPT = 16
"""The d of PGRA's paper with T5-base."""
