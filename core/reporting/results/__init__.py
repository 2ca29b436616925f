"""What there is to tell of one query, a pool's map, the start page: filled by the studio."""
