"""Results as tables: named columns, and their HTML."""
