"""What apps put on the overview and into the search."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


@dataclass(frozen=True)
class Figure:
    """One figure of a card: label, value as it is shown, unit, and how bad it is."""

    label: str
    value: str
    unit: str = ""
    severity: str = ""  # "" | "warning" | "critical"


@dataclass(frozen=True)
class CardData:
    """What a card shows now. `trend` is the last hour, oldest first; None = a gap in the data."""

    figures: Sequence[Figure]
    trend: Sequence[float | None] = ()
    trend_label: str = ""
    severity: str = ""
    empty: str = ""  # what is missing and what to do first; "" = there is something to show
    url: str = ""
    # A card shows its figures, or a table: `columns` are the heads after the name's, `rows` are
    # {"name", "url", "cells": [{"text", "severity", "share"}], "trend": [float | None]}.
    rows: Sequence[dict[str, Any]] = field(default_factory=list)
    columns: Sequence[str] = ()
    hint: str = ""  # beside the title: "4 busiest of 212"


@dataclass(frozen=True)
class Stat:
    """A headline figure: value as it is shown, unit, the last hour; at most six stand."""

    value: str
    unit: str = ""
    trend: Sequence[float | None] = ()
    severity: str = ""
    mark: str = ""  # a word beside the figure when a limit is passed: "over 1%"


@dataclass(frozen=True)
class StatEntry:
    """Where a headline figure comes from; `load` gets the principal, None = nothing to say."""

    name: str
    label: "StrOrPromise"
    load: Callable[[Any], Stat | None]
    order: int = 50
    url: str = ""


@dataclass(frozen=True)
class Card:
    """One card of the overview; `load` gets the principal, None = nothing for this reader."""

    name: str
    title: "StrOrPromise"
    load: Callable[[Any], CardData | None]
    order: int = 50
    url: str = ""
    icon: str = ""
    topic: str = ""  # a live topic whose changes make the card reload


@dataclass(frozen=True)
class Follow:
    """A page or an action of a thing that was found; `group`: "pages" or "actions"."""

    group: str
    name: str
    url: str
    icon: str
    detail: str = ""


@dataclass(frozen=True)
class Found:
    """One thing that a search found: its kind, name, second line and page.

    group: under which heading of the palette it stands (`palette.GROUPS`). key: what it is,
    `pool:east`: of two with the same key the later app's is shown, which knows more of it.
    rank: how well it fits (`matching`); exact ones come first. chip: one word of its state, `look`
    as chips have it. more: the line below a group's others that leads to the full list. follow:
    its own pages and actions, shown for the best ones.
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
    """Put a card on the overview; the same name again replaces the first."""
    CARDS[card.name] = card


def register_stat(entry: StatEntry) -> None:
    """Put a headline figure into the overview's strip; the same name again replaces the first."""
    STATS[entry.name] = entry


def register_search(name: str, provider: SearchProvider) -> None:
    """Let the search find things, tenant-safe, of each kind up to `limit`.

    Small kinds by `matching.named`, large ones by keys and prefixes that an index answers.
    """
    SEARCHES[name] = provider
