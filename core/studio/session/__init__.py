"""What every service shares: the open workspace, its models, and the work that a pool needs."""
