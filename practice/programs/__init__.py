"""Examples of programs: a generated two-hop set, and baselines in the practice model's form."""
