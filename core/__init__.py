"""Shotlist: choosing the demonstrations that a language model is shown."""
