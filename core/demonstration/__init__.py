"""What a demonstration is: its fields, its incorrect answers, and both as columns."""
