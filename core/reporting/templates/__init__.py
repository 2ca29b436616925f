"""HTML as templates, their style sheets beside them; what is put into one is escaped."""
