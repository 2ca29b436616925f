"""The command line: its options, one function a command, and what a command prints."""
