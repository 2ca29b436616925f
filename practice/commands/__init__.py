"""The commands of the practice model: options, what each command runs."""
