"""The tax that an amount includes. Integers of 1/10 000 currency units; rates in 1/100 percent.

Each rate's tax is computed once, from the sum of its lines, and rounded half up. The lines share
it by the largest remainder, so that they add up to it: each is less than one unit off its own
exact share.
"""

from collections.abc import Sequence

from billing.models.taxes import HUNDREDTHS


def included(gross: int, rate: int) -> int:
    """The tax in an amount that includes it; half a unit is rounded away from zero."""
    whole = HUNDREDTHS + rate
    tax, rest = divmod(abs(gross) * rate, whole)
    tax += 2 * rest >= whole
    return tax if gross >= 0 else -tax


def shares(amounts: Sequence[int], rate: int) -> list[int]:
    """The tax of each amount; together they are the tax that the sum includes."""
    whole = HUNDREDTHS + rate
    parts = [divmod(amount * rate, whole) for amount in amounts]
    found = [tax for tax, _rest in parts]
    missing = included(sum(amounts), rate) - sum(found)
    places = sorted(range(len(parts)), key=lambda place: -parts[place][1])
    for place in places[:missing]:
        found[place] += 1
    return found
