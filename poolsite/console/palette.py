"""The search palette: its results, their headings, and the pages and actions that it offers.

Apps register providers (`registry.register_search`), pages that are not in the sidebar, and
actions. Each is shown to the users who may use it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite.access import Principal, actions
from poolsite.console import navigation
from poolsite.console.matching import SAME, WORD, rank
from poolsite.console.registry import SEARCHES, Follow, Found

LOG = structlog.get_logger(__name__)
LONGEST = 128
LIMIT = 6  # of each kind
NARROWED = 30  # if one heading was chosen
FOLLOWED = 2  # how many of the best results add their pages and actions
GROUPS: dict[str, Any] = {
    "accounts": gettext_lazy("Accounts"),
    "people": gettext_lazy("People"),
    "pools": gettext_lazy("Pools"),
    "numbers": gettext_lazy("Numbers"),
    "calls": gettext_lazy("Calls"),
    "imports": gettext_lazy("Imports"),
    "desks": gettext_lazy("Desks"),
    "conversations": gettext_lazy("Conversations"),
    "gates": gettext_lazy("Gates"),
    "groups": gettext_lazy("Dispatcher"),
    "messages": gettext_lazy("Messages"),
    "campaigns": gettext_lazy("Campaigns"),
    "billing": gettext_lazy("Billing"),
    "tokens": gettext_lazy("API tokens"),
    "incidents": gettext_lazy("Incidents"),
    "other": gettext_lazy("Other"),
    "pages": gettext_lazy("Pages"),
    "actions": gettext_lazy("Actions"),
}


@dataclass(frozen=True)
class Offer:
    """A page that is not in the sidebar, or an action. "…" ends the name of one that asks for more.

    url: a URL name, or a function that returns the URL for a reader, "" if it is not for them.
    action: what the reader must be allowed to do for some object; "" allows all logged-in users.
    words: other names under which people search for it.
    """

    name: str
    label: Any
    url: str | Callable[[Principal], str]
    icon: str
    action: str = ""
    group: str = "actions"
    detail: Any = ""
    words: Any = ""


_offers: dict[str, Offer] = {}


def register_offer(offer: Offer) -> None:
    """Add a page or an action. It replaces one of the same name."""
    _offers[offer.name] = offer


@dataclass(frozen=True)
class ResultGroup:
    """The results under one heading. `more`: there are more than are shown."""

    name: str
    label: str
    rows: Sequence[Found]
    more: bool


def search(principal: Principal, text: str, *, only: str = "") -> list[ResultGroup]:
    """Return the results that the reader may see, by heading. `only`: only that heading."""
    wanted = " ".join(text.split())[:LONGEST]
    if not wanted or "\x00" in wanted:
        return []
    limit = NARROWED if only else LIMIT
    found = _once([*_things(principal, wanted, limit), *_offered(principal, wanted)])
    grouped: dict[str, list[Found]] = {name: [] for name in GROUPS}
    for each in sorted(found, key=lambda each: (each.more, not each.exact, each.rank)):
        grouped[each.group if each.group in GROUPS else "other"].append(each)
    return [
        ResultGroup(name, str(GROUPS[name]), _shown(rows, limit), _plain(rows) >= limit)
        for name, rows in grouped.items()
        if rows and only in ("", name)
    ]


def things(principal: Principal, text: str) -> list[Found]:
    """Return all results, without the headings."""
    return [row for group in search(principal, text) for row in group.rows]


def _plain(rows: Sequence[Found]) -> int:
    return sum(not row.more for row in rows)


def _shown(rows: Sequence[Found], limit: int) -> list[Found]:
    """Return the best results, and the link to all of them."""
    return [row for row in rows if not row.more][:limit] + [row for row in rows if row.more][:1]


def _things(principal: Principal, text: str, limit: int) -> list[Found]:
    """Return the results of the apps, except apps that fail. The best add pages and actions."""
    found: list[Found] = []
    for name, provider in SEARCHES.items():
        try:
            found += provider(principal, text, limit)
        except Exception as error:
            LOG.warning("search.part_failed", part=name, error=str(error))
    best = sorted(
        (each for each in _once(found) if each.follow and each.rank <= WORD),
        key=lambda each: (not each.exact, each.rank),
    )
    followed = [_followed(each, row) for each in best[:FOLLOWED] for row in each.follow]
    return found + followed


def _followed(thing: Found, row: Follow) -> Found:
    detail = row.detail or (thing.name if row.group == "pages" else "")
    return Found("", row.name, detail, row.url, group=row.group, icon=row.icon, rank=thing.rank)


def _once(found: Iterable[Found]) -> list[Found]:
    """Return each object once: of two results with one key, the later in the place of the first."""
    kept: dict[str, Found] = {}
    for each in found:
        key = each.key or f"{each.url} {each.name}"
        before = kept.get(key)
        kept[key] = each if before is None else _merged(before, each)
    return list(kept.values())


def _merged(before: Found, later: Found) -> Found:
    """Return the later result with the better rank, and the pages and actions of both."""
    return replace(
        later,
        exact=before.exact or later.exact,
        rank=min(before.rank, later.rank),
        follow=(*later.follow, *before.follow),
    )


def _offered(principal: Principal, text: str) -> Iterable[Found]:
    """Yield pages of the sidebar, other pages and actions whose names fit."""
    for section, item in navigation.items(principal):
        place = rank(text, [str(item.label)])
        if place is not None:
            label = navigation.SECTIONS[section][0]
            yield _page(str(item.label), str(label), item.url, item.icon, place)
    for offer in _offers.values():
        if offer.action and not actions.decide(principal, offer.action).allowed:
            continue
        place = rank(text, [str(offer.label), str(offer.words)])
        url = _address(principal, offer) if place is not None else ""
        if place is not None and url:
            yield Found(
                _("Page") if offer.group == "pages" else _("Action"),
                str(offer.label),
                str(offer.detail),
                url,
                group=offer.group,
                icon=offer.icon,
                rank=place,
                exact=place == SAME,
            )


def _page(name: str, detail: str, url: str, icon: str, place: int) -> Found:
    return Found(
        _("Page"), name, detail, url, group="pages", icon=icon, rank=place, exact=place == SAME
    )


def _address(principal: Principal, offer: Offer) -> str:
    if callable(offer.url):
        return offer.url(principal)
    try:
        return reverse(offer.url)
    except NoReverseMatch:
        return ""
