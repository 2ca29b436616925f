"""One query: its context, what that does to the language model, and its paths over the lambdas."""
