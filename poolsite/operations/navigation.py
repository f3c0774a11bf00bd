"""The sidebar: apps register entries in AppConfig.ready(), readers see what they may open."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

Label = Any  # a lazily translated text, or str

SECTIONS: dict[str, Label] = {
    "top": "",
    "numbers": _("Numbers"),
    "queueing": _("Queueing"),
    "billing": _("Billing"),
    "account": _("Account"),
    "system": _("System"),
}


@dataclass(frozen=True)
class Entry:
    """One line of the sidebar.

    `actions`: the reader needs the right to one of them; none = everybody who is logged in.
    `incidents`: prefixes of incident types; open ones are counted in the entry's badge.
    `key`: the letter after `g` that goes there.
    """

    name: str
    label: Label
    url_name: str
    icon: str
    section: str = "top"
    order: int = 100
    actions: tuple[str, ...] = ()
    incidents: tuple[str, ...] = ()
    key: str = ""
    match: tuple[str, ...] = ()  # further URL names that belong to it


@dataclass
class Item:
    """An entry as one reader sees it on one page."""

    name: str
    label: Label
    url: str
    icon: str
    key: str
    current: bool
    incidents: str
    count: int = 0
    severity: str = ""


@dataclass
class Section:
    name: str
    label: Label
    items: list[Item] = field(default_factory=list)


_entries: dict[str, Entry] = {}
Counter = Callable[[Any, Iterable[str]], tuple[int, str]]


def register(entry: Entry) -> None:
    """Add an entry; the same name twice is a mistake. Source: AppConfig.ready() of each app."""
    if entry.section not in SECTIONS:
        raise ValueError(f"no section {entry.section!r} for navigation entry {entry.name!r}")
    if _entries.get(entry.name, entry) != entry:
        raise ValueError(f"navigation entry {entry.name!r} is registered twice")
    _entries[entry.name] = entry


def entries() -> list[Entry]:
    """Every registered entry, in the order of the sidebar."""
    order = list(SECTIONS)
    return sorted(_entries.values(), key=lambda e: (order.index(e.section), e.order, e.name))


def sections(
    may: Callable[[str], bool], current_url_name: str, count: Counter | None = None
) -> list[Section]:
    """The sidebar of a reader who `may` do some actions, on the page `current_url_name`.

    `count(entry, prefixes)` returns how many incidents stand open and the worst severity.
    """
    shown: dict[str, Section] = {}
    for entry in entries():
        if entry.actions and not any(may(action) for action in entry.actions):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        item = Item(
            name=entry.name,
            label=entry.label,
            url=url,
            icon=entry.icon,
            key=entry.key,
            current=current_url_name in (entry.url_name, *entry.match),
            incidents=" ".join(entry.incidents),
        )
        if entry.incidents and count is not None:
            item.count, item.severity = count(entry, entry.incidents)
        shown.setdefault(entry.section, Section(entry.section, SECTIONS[entry.section]))
        shown[entry.section].items.append(item)
    return [shown[name] for name in SECTIONS if name in shown]
