"""What choosing a setting for each query is worth, in words and tables."""
