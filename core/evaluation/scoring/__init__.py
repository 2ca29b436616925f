"""Log-probabilities of answers: kept in the store, and asked of the model once."""
