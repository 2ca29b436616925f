"""Results in sentences: findings, cautions, advice, where a figure comes from."""

NO_FIGURE = "No figures yet"
