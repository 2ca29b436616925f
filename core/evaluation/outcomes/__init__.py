"""What came of the contexts of many examples: metrics, steps over lambda_d, the recommendation."""
