"""What a run found, as values with their words: of a calibration and of a comparison."""
