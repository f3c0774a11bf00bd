"""An entry of the audit log as a sentence, and its changes as lines of old and new values."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from poolsite.console.sentences.registry import Sentence, registered
from poolsite.console.sentences.values import Reading, plain

if TYPE_CHECKING:
    from poolsite.access.models import AuditEntry

IN_A_SENTENCE = 60  # characters of a value; longer ones are cut
IN_A_LINE = 300
_PLACE = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class FieldChange:
    """One field: its label, and its old and new value as text. "" means that it was not stored."""

    label: str
    before: str
    after: str


@dataclass(frozen=True)
class EntryText:
    """An entry in the reader's language. In `html`, names are bold and the object is a link."""

    text: str
    html: SafeString
    group: str
    changes: list[FieldChange]
    told: bool  # whether the sentence itself describes the whole change


def said(reading: Reading) -> EntryText:
    """Return an entry's text, whatever it contains. For an unknown action: who changed what."""
    sentence = registered(reading.entry.action) or Sentence(reading.entry.action, "")
    changes = _changes(sentence, reading)
    text, places = _chosen(sentence, reading, changes)
    words = {name: places[name]() for name in set(_PLACE.findall(text)) if name in places}
    words |= {
        name: _cut(sentence.places.get(name, plain)(reading.value(name), reading))
        for name in set(_PLACE.findall(text)) - words.keys()
    }
    bold = {name: _bold(name, value, reading) for name, value in words.items()}
    html = mark_safe(str(escape(text)) % bold)  # noqa: S308  every place is escaped by _bold
    told = not sentence.settings.model or (not sentence.text and len(changes) < 2)
    return EntryText(text % words, html, str(sentence.group), changes, told)


def actor_words(entry: "AuditEntry", reading: Reading) -> str:
    """Return the name of the actor, with which sentences begin."""
    if entry.actor_kind == "user":
        return reading.names.of(entry.actor_name)
    if entry.actor_kind == "token":
        return _("API token %(name)s") % {"name": entry.actor_name}
    if entry.actor_kind == "visitor":
        return _("A visitor")
    return _("The system")


def _chosen(
    sentence: Sentence, reading: Reading, changes: list[FieldChange]
) -> tuple[str, dict[str, Callable[[], str]]]:
    """Return the text, and the placeholders that no value of the entry fills."""
    entry = reading.entry
    places: dict[str, Callable[[], str]] = {
        "actor": lambda: actor_words(entry, reading),
        "thing": lambda: _thing_words(reading),
    }
    text = str(sentence.variant(entry) or sentence.text)
    if text:
        return text, places
    if len(changes) == 1 and changes[0].before and changes[0].after:
        [only] = changes
        places |= {
            "field": lambda: only.label,
            "old": lambda: _cut(only.before),
            "new": lambda: _cut(only.after),
        }
        return _("%(actor)s changed “%(field)s” of %(thing)s from %(old)s to %(new)s"), places
    if len(changes) > 1:
        n = len(changes)
        places["count"] = lambda: ngettext("%(n)s setting", "%(n)s settings", n) % {"n": n}
        return _("%(actor)s changed %(count)s of %(thing)s"), places
    return _("%(actor)s changed %(thing)s"), places


def _changes(sentence: Sentence, reading: Reading) -> list[FieldChange]:
    """Return the labelled fields that differ, in the entry's order."""
    before, after = reading.before, reading.after
    found = []
    for name in dict.fromkeys([*after, *before]):
        label = sentence.settings.label(name)
        if not label or (name in before and name in after and before[name] == after[name]):
            continue
        kind = sentence.settings.kind(name)
        old, new = (
            Truncator(kind(kept[name], reading)).chars(IN_A_LINE) if name in kept else ""
            for kept in (before, after)
        )
        found.append(FieldChange(label, old, new))
    return found


def _thing_words(reading: Reading) -> str:
    entry = reading.entry
    if entry.thing_kind == "user":
        return reading.names.of(entry.thing_label)
    return _cut(entry.thing_label) or _("the platform")


def _cut(words: str) -> str:
    return Truncator(" ".join(words.split())).chars(IN_A_SENTENCE)


def _bold(name: str, words: str, reading: Reading) -> Any:
    if name == "thing" and reading.url:
        return format_html('<a href="{}">{}</a>', reading.url, words)
    return format_html("<b>{}</b>", words)
