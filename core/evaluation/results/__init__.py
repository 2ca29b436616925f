"""The results of runs: figures with intervals, typed, which know their JSON."""
