"""The filters of a list as chips above it, each with a link to the list without it."""

from collections.abc import Mapping
from datetime import date

from poolsite import dates
from poolsite.console.lists import address

DAYS = frozenset({"from", "until"})


def chips_of(
    filters: Mapping[str, str], labels: Mapping[str, str], said: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """Return the data of components/filter_chip.html for the set filters, in the labels' order.

    said: the text of a filter's value. Days are written as on all pages. Other values are shown as
    in the URL.
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
    """Return "27 Nov" for 2026-11-27. Return other values unchanged."""
    try:
        return dates.day(date.fromisoformat(value))
    except ValueError:
        return value
