"""Which texts are the same, or much the same: answers, words, and queries."""
