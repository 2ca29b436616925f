"""The letters of a text file: its encoding, found or guessed."""
