"""What only trains the practice model: its texts, its network, its curriculum."""
