"""The filters of a list as chips above it, each with the way to be without it."""

from collections.abc import Mapping
from datetime import date

from poolsite import dates
from poolsite.console.lists import address

DAYS = frozenset({"from", "until"})


def chips_of(
    filters: Mapping[str, str], labels: Mapping[str, str], said: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """What components/filter_chip.html shows of the filters that are set, in the labels' order.

    said: how a filter's value is said. Days are written as everywhere; others are shown as they
    stand in the address.
    """
    return [
        {
            "name": label,
            "value": _day_or(filters[name])
            if name in DAYS
            else (said or {}).get(name, filters[name]),
            "url": address({**filters, name: ""}),
        }
        for name, label in labels.items()
        if filters[name]
    ]


def _day_or(value: str) -> str:
    """27 Nov of 2026-11-27; other values as they are."""
    try:
        return dates.day(date.fromisoformat(value))
    except ValueError:
        return value
