"""What apps add to the overview and to the search."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True)
class Figure:
    """One figure of a card: label, value as it is shown, unit, and severity."""

    label: str
    value: str
    unit: str = ""
    severity: str = ""  # "" | "warning" | "critical"


@dataclass(frozen=True)
class CardData:
    """The current content of a card. `trend` is the last hour, oldest first; None marks a gap."""

    figures: Sequence[Figure]
    trend: Sequence[float | None] = ()
    trend_label: str = ""
    severity: str = ""
    empty: str = ""  # what is missing and what to do first; "" if there is something to show
    url: str = ""
    # A card shows its figures, or a table: `columns` are the heads after the name's, `rows` are
    # {"name", "url", "cells": [{"text", "severity", "share"}], "trend": [float | None]}.
    rows: Sequence[dict[str, Any]] = field(default_factory=list)
    columns: Sequence[str] = ()
    hint: str = ""  # next to the title: "4 busiest of 212"


@dataclass(frozen=True)
class Stat:
    """A headline figure: value as it is shown, unit, the last hour. Up to six are shown."""

    value: str
    unit: str = ""
    trend: Sequence[float | None] = ()
    severity: str = ""
    mark: str = ""  # a word next to the figure if a limit is passed: "over 1%"


@dataclass(frozen=True)
class StatEntry:
    """The source of a headline figure. `load` gets the principal and returns None for no figure."""

    name: str
    label: "StrOrPromise"
    load: Callable[[Any], Stat | None]
    order: int = 50
    url: str = ""


@dataclass(frozen=True)
class Card:
    """A card of the overview. `load` gets the principal and returns None for no card."""

    name: str
    title: "StrOrPromise"
    load: Callable[[Any], CardData | None]
    order: int = 50
    url: str = ""
    icon: str = ""
    topic: str = ""  # a live topic whose changes make the card reload


@dataclass(frozen=True)
class Follow:
    """A page or an action of a search result. `group`: "pages" or "actions"."""

    group: str
    name: str
    url: str
    icon: str
    detail: str = ""


@dataclass(frozen=True)
class Found:
    """One search result: its kind, name, second line and page.

    group: its heading in the palette (`palette.GROUPS`).
    key: its identity, `pool:east`. Of two results with the same key, that of the later app is
        shown, which has more details.
    rank: how well it fits (`matching`); exact results come first.
    chip: one word for its state, `look` as for chips.
    more: the line below the group's other results that links to the full list.
    follow: its own pages and actions, shown for the best results.
    """

    kind: str
    name: str
    detail: str
    url: str
    exact: bool = False
    group: str = "other"
    icon: str = "search"
    key: str = ""
    rank: int = 1
    chip: str = ""
    look: str = ""
    more: bool = False
    follow: Sequence[Follow] = ()


SearchProvider = Callable[[Any, str, int], Iterable[Found]]  # (principal, text, limit)

CARDS: dict[str, Card] = {}
STATS: dict[str, StatEntry] = {}
SEARCHES: dict[str, SearchProvider] = {}


def register_card(card: Card) -> None:
    """Put a card on the overview. It replaces a card of the same name."""
    CARDS[card.name] = card


def register_stat(entry: StatEntry) -> None:
    """Put a headline figure into the overview's strip. It replaces one of the same name."""
    STATS[entry.name] = entry


def register_search(name: str, provider: SearchProvider) -> None:
    """Add a search of objects that the reader may see, up to `limit` of each kind.

    Use `matching.named` for small kinds. Search large kinds by keys and prefixes that an index
    supports.
    """
    SEARCHES[name] = provider
