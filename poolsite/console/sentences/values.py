"""How the history writes a value of an audit entry, by the value's kind.

A kind is a function of the value, as it is in the log's JSON, and the reading. It never fails: old
entries may contain anything.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from poolsite import dates
from poolsite.console.durations import duration_words, unit_of

if TYPE_CHECKING:
    from poolsite.access.models import AuditEntry

NAMED_NUMBERS = 3
DEMO = "demo_data"  # the user name of the demo's past


class Names:
    """User name → the name that people know, for a page or a file. SQL is read once per name."""

    def __init__(self, usernames: Collection[str] = ()) -> None:
        self._known: dict[str, str] = {}
        self.read(usernames)

    def of(self, username: str) -> str:
        """Return the person's full name, or the user name if they have none or no longer exist."""
        if username not in self._known:
            self.read([username])
        return self._known[username]

    def read(self, usernames: Collection[str]) -> None:
        """Look up these names in one query."""
        from poolsite.access.models import User

        new = {name for name in usernames if name and name not in self._known}
        self._known |= {name: name for name in [*new, ""]}
        if DEMO in new:
            self._known[DEMO] = _("Demo data")
        for user in User.objects.filter(username__in=new) if new else ():
            self._known[user.get_username()] = user.display_name


@dataclass(frozen=True)
class Reading:
    """One entry for one reader: with the names of people, and the URL of its object's page."""

    entry: "AuditEntry"
    names: Names = field(default_factory=Names)
    url: str = ""

    @property
    def before(self) -> Mapping[str, Any]:
        return self.entry.before or {}

    @property
    def after(self) -> Mapping[str, Any]:
        return self.entry.after or {}

    @property
    def currency(self) -> str:
        """The currency of the entry's account, or "" for the platform's own."""
        return self.entry.account.currency if self.entry.account else ""

    def value(self, name: str) -> Any:
        """Return the value of a sentence's placeholder: the new value, otherwise the old one.

        `before_name` is the old value only.
        """
        if name.startswith("before_"):
            return self.before.get(name.removeprefix("before_"))
        return self.after.get(name, self.before.get(name))


Kind = Callable[[Any, Reading], str]
_FIELD_KINDS: dict[type[Any], Kind] = {}


def register_field_kind(field_class: type[Any], kind: Kind) -> None:
    """Write values of these model fields by `kind`. Call this in a `register_all()`."""
    _FIELD_KINDS[field_class] = kind


def plain(value: Any, _reading: Reading) -> str:
    """Return the text of a value without a kind."""
    return plain_words(value)


def plain_words(value: Any) -> str:
    """Return text unchanged, booleans as yes or no, localized figures, and joined lists."""
    if value is None or value in ("", [], {}):
        return _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, int | float):
        return number_format(value, use_l10n=True, force_grouping=True)
    if isinstance(value, list):
        return listed([plain_words(each) for each in value])
    if isinstance(value, dict):
        return listed([f"{name} {plain_words(each)}" for name, each in value.items()])
    return str(value)


def listed(words: Collection[str]) -> str:
    """Return the items as a list: a, b, c; a、b、c"""
    return pgettext("between the items of a list", ", ").join(words)


def boolean(value: Any, reading: Reading) -> str:
    return _("yes") if value else _("no")


def json_list(kind: Kind) -> Kind:
    """Return the kind of a list whose items are of one kind."""
    return lambda value, reading: (
        listed([kind(each, reading) for each in value])
        if isinstance(value, list) and value
        else plain(value, reading)
    )


def duration(value: Any, _reading: Reading) -> str:
    """Return exact seconds: 90 s, 5 min, 4 h, 1 d."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return duration_words(value)
    if isinstance(value, float):
        return _("%(n)s s") % {"n": plain(value, _reading)}
    return plain(value, _reading)


def _duration_in(unit: int) -> Kind:
    """Like `duration`, for a field that counts in a larger unit."""
    return lambda value, reading: duration(value * unit if type(value) is int else value, reading)


def moment(value: Any, reading: Reading) -> str:
    """Return a moment in the reader's zone, or a day."""
    try:
        at: Any = parse_datetime(value) or parse_date(value)
    except (TypeError, ValueError):
        at = None
    if at is None:
        return plain(value, reading)
    return dates.moment(at) if isinstance(at, datetime) else dates.day(at)


def person(value: Any, reading: Reading) -> str:
    """Return the full name of a person whose user name is stored."""
    return reading.names.of(value) if isinstance(value, str) and value else plain(value, reading)


def choice(choices: Any) -> Kind:
    """Return the kind of a field with choices, which writes their labels."""
    words = dict(choices)

    def say(value: Any, reading: Reading) -> str:
        known = isinstance(value, str | int) and value in words
        return str(words[value]) if known else plain(value, reading)

    return say


def count(words: Callable[[int], str]) -> Kind:
    """Return the kind of a count with its noun. `words` is ngettext's text for n, with %(n)s."""

    def say(value: Any, reading: Reading) -> str:
        n = len(value) if isinstance(value, list) else value if isinstance(value, int) else 0
        return words(n) % {"n": plain(n, reading)}

    return say


def numbers(_value: Any, reading: Reading) -> str:
    """Return what an entry stores about many numbers: a few by name, many by their count."""
    kept = reading.value("numbers")
    if isinstance(kept, list) and 0 < len(kept) <= NAMED_NUMBERS:
        return listed([str(number) for number in kept])
    n = len(kept) if isinstance(kept, list) else reading.value("count") or kept or 0
    n = n if isinstance(n, int) else 0
    words = ngettext("%(n)s number", "%(n)s numbers", n)
    return words % {"n": number_format(n, force_grouping=True)}


def kind_of_field(its: Any) -> Kind:
    """Return how values of a model's field are written."""
    for field_class, kind in _FIELD_KINDS.items():
        if isinstance(its, field_class):
            return kind
    if its.choices:
        return choice(its.flatchoices)
    if isinstance(its, models.BooleanField):
        return boolean
    if isinstance(its, models.DateTimeField | models.DateField):
        return moment
    unit = unit_of(its.name)
    if isinstance(its, models.IntegerField) and unit is not None:
        return _duration_in(unit)
    if its.name.endswith("_percent"):
        return _percent
    return plain


def _percent(value: Any, reading: Reading) -> str:
    return plain(value, reading) if value is None else f"{plain(value, reading)}%"
