"""What runs say: figures with intervals, typed, which know their JSON."""
