"""Times without a valid version; the price of the example message."""

from datetime import UTC, datetime, timedelta

import pytest

from billing.pricing.book import gaps
from billing.pricing.examples import example
from billing.pricing.tariff import Price

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        ([], [(0, None)]),
        ([(-9, None)], []),
        ([(-9, -2)], [(0, None)]),
        ([(-9, 3), (3, None)], []),
        ([(3, None), (-9, 3)], []),
        ([(-9, 3), (5, None)], [(3, 5)]),
        ([(2, 4)], [(0, 2), (4, None)]),
        ([(-9, -5), (-5, 2), (2, 3)], [(3, None)]),
    ],
)
def test_gaps_are_the_times_to_come_without_a_version(
    spans: list[tuple[int, int | None]], wanted: list[tuple[int, int | None]]
) -> None:
    given = [(day(start), None if end is None else day(end)) for start, end in spans]
    found = [(day(start), None if end is None else day(end)) for start, end in wanted]
    assert gaps(given, NOW) == found


@pytest.mark.parametrize(
    ("mode", "price", "units"),
    [
        ("native_text", Price(450), 1),
        ("native_text", Price(450, characters_per_unit=70), 2),
        ("yuexin_unresolved", Price(450), 2),
        ("video", Price(450, kilobytes_per_unit=100), 3),
        ("call", Price(450), 1),
    ],
)
def test_the_example_is_counted_as_messages_are(mode: str, price: Price, units: int) -> None:
    found = example(mode, price)
    assert (found.units, found.cost) == (units, units * 450)
