"""Results to figures, words, tables and HTML; knows neither the store nor a model."""
