"""`neighbours` and `fixed`: choosing by scores, a setting for each query or one set for all."""
