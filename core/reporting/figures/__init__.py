"""Results to plotly figures, for the pages and for the reports."""
