"""The tax that an amount includes. Amounts in 1/10 000 currency units; rates in 1/100 percent.

The tax of each rate is computed once, from the sum of its lines, and rounded half up. It is divided
among the lines by the largest remainder, so that their taxes add up to it. Each line's tax is less
than one unit off its exact share.
"""

from collections.abc import Sequence

from billing.models.taxes import HUNDREDTHS


def included(gross: int, rate: int) -> int:
    """Return the tax that an amount includes. Half a unit is rounded away from zero."""
    whole = HUNDREDTHS + rate
    tax, rest = divmod(abs(gross) * rate, whole)
    tax += 2 * rest >= whole
    return tax if gross >= 0 else -tax


def shares(amounts: Sequence[int], rate: int) -> list[int]:
    """Return the tax of each amount. They add up to the tax that the sum includes."""
    whole = HUNDREDTHS + rate
    parts = [divmod(amount * rate, whole) for amount in amounts]
    found = [tax for tax, _rest in parts]
    missing = included(sum(amounts), rate) - sum(found)
    places = sorted(range(len(parts)), key=lambda place: -parts[place][1])
    for place in places[:missing]:
        found[place] += 1
    return found
