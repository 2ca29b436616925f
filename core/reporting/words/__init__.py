"""Results in sentences: findings, cautions, advice, where a figure comes from."""
