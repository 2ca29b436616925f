"""What was computed and is kept: embeddings, log-probabilities, quality bias, the map's points."""
