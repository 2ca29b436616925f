"""Commands that say what is wrong with a pool: `check` and `worth`."""
