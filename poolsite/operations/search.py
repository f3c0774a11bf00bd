"""What the search finds of operations: incidents, and objects of any kind by their tag."""

from collections.abc import Iterable

from django.urls import reverse
from django.utils.translation import gettext as _

from poolsite import dates
from poolsite.access import Principal
from poolsite.console import Found, register_search
from poolsite.console.matching import BEGINS, rank
from poolsite.operations import selectors, tags_and_notes

LOOKED_AT = 200  # newest incidents, whose titles are compared


def register() -> None:
    """Register the searches. AppConfig.ready() calls this once."""
    register_search("tags", tags_and_notes.find_by_tag)
    register_search("incidents", find)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Return the newest incidents whose title or object matches, open ones first."""
    found: list[Found] = []
    seen: set[tuple[str, str]] = set()
    rows = selectors.incidents(principal, state="all").order_by("-pk")[:LOOKED_AT]
    for row in sorted(rows, key=lambda row: row.until is not None):
        place = rank(text, [row.title, row.object])
        if place is None or len(found) >= limit or (row.type, row.object) in seen:
            continue
        seen.add((row.type, row.object))  # one that opened and closed often is listed once
        found.append(
            Found(
                _("Incident"),
                row.title,
                f"{row.object} · {dates.moment(row.since)}",
                reverse("operations:incident", args=[row.pk]),
                group="incidents",
                icon="notification_important",
                key=f"incident:{row.pk}",
                rank=max(place, BEGINS),
                chip=_("Still open") if row.until is None else _("Ended"),
                look="warn" if row.until is None else "",
            )
        )
    return found
