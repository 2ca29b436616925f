"""Results of one query, a pool's map and the start page, which the studio fills."""
