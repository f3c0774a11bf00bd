"""The tax that prices include: a rate's tax is rounded once, and its lines share it exactly."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.invoicing.document import percent
from billing.invoicing.taxes import included, shares
from billing.money import LIMIT

RATES = st.integers(0, 10_000)
AMOUNTS = st.lists(st.integers(-(10**12), 10**12), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("gross", "rate", "tax"),
    [
        *((10_600, 600, 600), (10_000, 600, 566), (0, 600, 0), (10_000, 0, 0)),
        *((1, 10_000, 1), (-1, 10_000, -1), (3, 10_000, 2), (-10_600, 600, -600)),
        (LIMIT - 1, 600, ((LIMIT - 1) * 600 + 5_300) // 10_600),
    ],
)
def test_the_tax_of_an_amount_that_includes_it(gross: int, rate: int, tax: int) -> None:
    assert included(gross, rate) == tax


@given(gross=st.integers(-(2**53), 2**53), rate=RATES)
def test_half_a_unit_is_rounded_away_from_zero(gross: int, rate: int) -> None:
    exact = Fraction(abs(gross) * rate, 10_000 + rate)
    rounded = int(exact + Fraction(1, 2))
    assert included(gross, rate) == (rounded if gross >= 0 else -rounded)


@given(amounts=AMOUNTS, rate=RATES)
def test_the_shares_add_up_and_each_is_less_than_a_unit_off(amounts: list[int], rate: int) -> None:
    found = shares(amounts, rate)
    assert sum(found) == included(sum(amounts), rate)
    for amount, tax in zip(amounts, found, strict=True):
        assert abs(tax - Fraction(amount * rate, 10_000 + rate)) < 1


@given(amounts=AMOUNTS, rate=RATES)
def test_a_larger_remainder_never_gets_less(amounts: list[int], rate: int) -> None:
    parts = [divmod(amount * rate, 10_000 + rate) for amount in amounts]
    more = [tax - part[0] for tax, part in zip(shares(amounts, rate), parts, strict=True)]
    assert set(more) <= {0, 1}
    given_one = [part[1] for part, extra in zip(parts, more, strict=True) if extra]
    given_none = [part[1] for part, extra in zip(parts, more, strict=True) if not extra]
    assert not (given_one and given_none) or min(given_one) >= max(given_none)


@pytest.mark.parametrize(
    ("rate", "words"),
    [(600, "6"), (550, "5.5"), (525, "5.25"), (0, "0"), (10_000, "100"), (5, "0.05")],
)
def test_a_rate_in_words(rate: int, words: str) -> None:
    assert percent(rate) == words
