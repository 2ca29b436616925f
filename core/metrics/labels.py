"""Label consistency as a metric of runs: one number per example, measured on its context.

The function of one context's labels is `classification.label_consistency`.
"""

import math

from .scores import per_example

consistency_numerators = per_example(
    lambda one: 0.0 if math.isnan(one.label_consistency) else one.label_consistency
)
consistency_denominators = per_example(lambda one: not math.isnan(one.label_consistency))

chance_numerators = per_example(
    lambda one: 0.0 if math.isnan(one.label_chance) else one.label_chance
)
chance_denominators = per_example(lambda one: not math.isnan(one.label_chance))
