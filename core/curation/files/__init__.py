"""Files of many formats and encodings as tables of columns and rows."""
