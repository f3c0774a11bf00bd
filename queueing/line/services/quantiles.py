"""Quantiles of the gamma distribution, which models the wait at a rank."""

import math
from statistics import NormalDist

LOW, HIGH = 0.1, 0.9  # eight of ten waits are between them
_NORMAL = NormalDist()


def gamma_quantile(shape: int, probability: float) -> float:
    """Return the quantile for scale 1: exact for shape 1, else by Wilson and Hilferty (1931)."""
    if shape == 1:
        return -math.log(1 - probability)
    third = 1 / (9 * shape)
    return shape * (1 - third + _NORMAL.inv_cdf(probability) * math.sqrt(third)) ** 3
