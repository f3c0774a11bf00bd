"""The sidebar. Apps register entries in AppConfig.ready(); readers see those that they may open."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from poolsite.access import Principal, actions

Label = Any  # a lazily translated text, or str

# Each section's name and icon, in the order of the menu.
SECTIONS: dict[str, tuple[Label, str]] = {
    "top": ("", ""),
    "messages": (_("Messaging"), "forum"),
    "numbers": (_("Numbers"), "dialpad"),
    "queueing": (_("Queueing"), "groups"),
    "billing": (_("Billing"), "payments"),
    "account": (_("Account"), "domain"),
    "system": (_("System"), "dns"),
}
AT_A_GLANCE = 9  # more entries than these are folded into their sections
COOKIE = "nav"  # the sections that this browser keeps open, separated by full stops


@dataclass(frozen=True)
class MenuEntry:
    """One line of the sidebar.

    `actions`: the reader needs the right to one of them; without actions, all logged-in users see
        the entry.
    `own_section`: the section for people of an account, if it differs from that for operators.
    `suits`: an additional check with the reader: whether the page has anything for them.
    `incidents`: prefixes of incident types; the entry's badge counts the open ones.
    `key`: the letter after `g` that opens the page.
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
    match: tuple[str, ...] = ()  # more URL names that belong to it
    own_section: str = ""
    suits: Callable[[Principal], bool] | None = None


@dataclass
class MenuItem:
    """An entry for one reader on one page."""

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
class MenuSection:
    """A part of the sidebar. `folds`: its heading opens and closes it. `open`: it is open now."""

    name: str
    label: Label
    icon: str
    items: list[MenuItem] = field(default_factory=list)
    folds: bool = False
    open: bool = True

    @property
    def current(self) -> bool:
        """Whether the current page belongs to the section."""
        return any(item.current for item in self.items)

    @property
    def incidents(self) -> str:
        """The prefixes of all its entries, for the badge of a closed section."""
        return " ".join(item.incidents for item in self.items if item.incidents)

    @property
    def count(self) -> int:
        """How many incidents its entries have together."""
        return sum(item.count for item in self.items)

    @property
    def severity(self) -> str:
        """The worst severity of its entries."""
        return min((item.severity for item in self.items if item.severity), default="")


_entries: dict[str, MenuEntry] = {}
Counter = Callable[[Iterable[str]], tuple[int, str]]  # gets prefixes of incident types
_counters: list[Callable[[Principal], Counter]] = []


def count_badges_by(make: Callable[[Principal], Counter]) -> None:
    """Have a reader's badges counted by what `make` returns. Call this in AppConfig.ready()."""
    _counters[:] = [make]


def counter_for(principal: Principal) -> Counter | None:
    """Return the function that counts this reader's badges, or None if none is registered."""
    return _counters[0](principal) if _counters else None


def register(entry: MenuEntry) -> None:
    """Add an entry. Call this in AppConfig.ready().

    Raise ValueError if another entry has the same name, or if its section does not exist.
    """
    for section in filter(None, (entry.section, entry.own_section)):
        if section not in SECTIONS:
            raise ValueError(f"no section {section!r} for navigation entry {entry.name!r}")
    if _entries.get(entry.name, entry) != entry:
        raise ValueError(f"navigation entry {entry.name!r} is registered twice")
    _entries[entry.name] = entry


def entries() -> list[MenuEntry]:
    """Return every registered entry, in the order of the sidebar."""
    order = list(SECTIONS)
    return sorted(_entries.values(), key=lambda e: (order.index(e.section), e.order, e.name))


def items(
    principal: Principal, current_url_name: str = "", count: Counter | None = None
) -> list[tuple[str, MenuItem]]:
    """Return the entries that a reader sees, each with its section, in the order of the sidebar.

    `count(prefixes)` returns how many incidents are open and the worst severity.
    """
    shown: list[tuple[str, MenuItem]] = []
    for entry in entries():
        if not _sees(principal, entry):
            continue
        try:
            url = reverse(entry.url_name)
        except NoReverseMatch:
            continue
        item = MenuItem(
            name=entry.name,
            label=entry.label,
            url=url,
            icon=entry.icon,
            key=entry.key,
            current=current_url_name in (entry.url_name, *entry.match),
            incidents=" ".join(entry.incidents),
        )
        if entry.incidents and count is not None:
            item.count, item.severity = count(entry.incidents)
        own = "" if principal.is_operator else entry.own_section
        shown.append((own or entry.section, item))
    order = list(SECTIONS)
    return sorted(shown, key=lambda each: order.index(each[0]))


def sections(
    principal: Principal,
    current_url_name: str,
    count: Counter | None = None,
    *,
    kept_open: Collection[str] = (),
) -> list[MenuSection]:
    """Return the sidebar of a reader on the page `current_url_name`.

    Up to nine entries are shown without folding. With more, the sections fold, and only the section
    of the page and those in `kept_open` are open.
    """
    shown: dict[str, MenuSection] = {}
    for name, item in items(principal, current_url_name, count):
        shown.setdefault(name, MenuSection(name, *SECTIONS[name])).items.append(item)
    if sum(len(section.items) for section in shown.values()) > AT_A_GLANCE:
        for section in shown.values():
            section.folds = section.name != "top"
            section.open = not section.folds or section.current or section.name in kept_open
    if len(shown) == 1:
        only = next(iter(shown.values()))
        only.label, only.folds, only.open = "", False, True  # a heading would add no information
    return [shown[name] for name in SECTIONS if name in shown]


def _sees(principal: Principal, entry: MenuEntry) -> bool:
    known = actions.actions()
    if entry.actions and not any(
        action in known and actions.decide(principal, action).allowed for action in entry.actions
    ):
        return False
    return entry.suits is None or entry.suits(principal)
