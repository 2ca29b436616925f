"""The figures: results in, plotly figures out; used by the pages and by the reports."""
