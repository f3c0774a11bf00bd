"""The filters of a list as chips above it, each with the way to be without it."""

from collections.abc import Mapping

from poolsite.operations.lists import address


def chips_of(
    filters: Mapping[str, str], labels: Mapping[str, str], said: Mapping[str, str] | None = None
) -> list[dict[str, str]]:
    """What components/filter_chip.html shows of the filters that are set, in the labels' order.

    said: how a filter's value is said; others are shown as they stand in the address.
    """
    return [
        {
            "name": label,
            "value": (said or {}).get(name, filters[name]),
            "url": address({**filters, name: ""}),
        }
        for name, label in labels.items()
        if filters[name]
    ]
