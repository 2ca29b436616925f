"""The study of PGRA: what the task finds alike, beside what is alike as text."""
