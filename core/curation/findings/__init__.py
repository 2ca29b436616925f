"""What is wrong with a pool: each check finds one kind of fault, the worst first."""
