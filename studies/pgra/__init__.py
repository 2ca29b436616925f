"""The study of PGRA: similarity for the task compared with similarity of the texts."""
