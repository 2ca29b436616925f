"""Trials of programs, as tests look at them."""


def answers_of(trial, row):
    """The answers of a row, in the order of the questions."""
    return tuple(each for each in trial.answers if each.row == row)
