"""Services that choose by stored scores: a setting for each query, or a set for all of them."""
