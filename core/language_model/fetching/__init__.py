"""Real models for whoever has none: what is offered, and how each of it comes to this machine."""
