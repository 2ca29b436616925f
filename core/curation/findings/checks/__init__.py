"""The checks, one kind of fault a file; `findings.registry` has them in their order."""
