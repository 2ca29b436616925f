"""The methods: which demonstrations of a pool a query is shown, and in which order."""
