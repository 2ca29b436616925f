"""How values and rows pass into DuckDB and out of it."""
