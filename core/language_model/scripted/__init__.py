"""A model that follows a script: it reads the prompt's passages and computes what it writes."""
