"""Reading a step function of lambda_d."""

import numpy as np


def value_at(steps, lambda_d):
    """The value that holds at a lambda_d in [0, 1], from the step that begins there if any."""
    return steps.values[np.searchsorted(steps.lows, lambda_d, side="right") - 1]
