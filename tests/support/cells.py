"""Cells of a calibration, as tests look at them."""


def cell_of(calibration, lambda_d, lambda_b, k):
    """The only cell with these knobs."""
    wanted = (lambda_d, lambda_b, k)
    (found,) = (
        each for each in calibration.cells if (each.lambda_d, each.lambda_b, each.k) == wanted
    )
    return found
