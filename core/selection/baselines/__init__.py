"""Ways of choosing that others proposed, for comparison; arrays in, arrays out."""
