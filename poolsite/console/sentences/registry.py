"""What the apps have registered: a sentence for each action, and the kinds of things done to."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from poolsite.console.durations import label_of
from poolsite.console.managed import KINDS
from poolsite.console.sentences.values import Kind, kind_of_field, plain

if TYPE_CHECKING:
    from django import forms

    from poolsite.access import Principal

Lazy = Any  # text that is translated where it is shown
_BLANKS = re.compile(r"[“”]*…(?:[“”\s]*…)*[“”]*")
_DETAIL = re.compile(r"[:：].*$")
_PLACE = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class SettingsFields:
    """Whose fields an entry keeps: labels come from the form that people change them by.

    form: where it has no such field, the model says the label. labels, kinds: by name, of what
    neither the form nor the model's field tells.
    """

    model: type[Model] | None = None
    form: "type[forms.BaseForm] | None" = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    labels: Mapping[str, Lazy] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """What the form calls a field; "" when people do not know it."""
        if name in self.labels:
            return str(self.labels[name])
        fields = getattr(self.form, "base_fields", {})
        if name in fields and fields[name].label:
            return label_of(name, fields[name].label)
        its = self._field(name)
        return label_of(name, capfirst(its.verbose_name)) if its is not None else ""

    def kind(self, name: str) -> Kind:
        """How a field's values are said."""
        if name in self.kinds:
            return self.kinds[name]
        its = self._field(name)
        return plain if its is None else kind_of_field(its)

    def _field(self, name: str) -> Any:
        if self.model is None:
            return None
        try:
            its = self.model._meta.get_field(name)
        except FieldDoesNotExist:
            return None
        return its if hasattr(its, "verbose_name") else None


@dataclass(frozen=True)
class Sentence:
    """What one action says: `%(actor)s`, `%(thing)s` and values of the entry stand in it by name.

    group: the chip below the sentence and the heading in the list of actions. text "" = a change
    of settings, told by the fields that differ. variant: another text for some entries, "" = none;
    its places are those of `places`, too. settings: whose fields before and after are. title: how
    lists of actions name a change of settings, where a group has several.
    """

    action: str
    group: Lazy
    text: Lazy = ""
    places: Mapping[str, Kind] = field(default_factory=dict)
    settings: SettingsFields = field(default_factory=SettingsFields)
    variant: Callable[[Any], Lazy] = lambda _entry: ""
    title: Lazy = ""


@dataclass(frozen=True)
class HistoryObject:
    """A kind of thing that entries are about, beside the managed kinds.

    pages: id → address of its page, of those that the reader may open.
    """

    name: str
    word: Lazy
    pages: Callable[["Principal", Collection[str]], Mapping[str, str]] = lambda _reader, _ids: {}


_PROVIDERS: list[str] = []
_SENTENCES: dict[str, Sentence] = {}
_OBJECTS: dict[str, HistoryObject] = {}


def provide(module: str) -> None:
    """Have `module.register_all()` called before the log is first read; in AppConfig.ready()."""
    if module not in _PROVIDERS:
        _PROVIDERS.append(module)


def _load() -> None:
    while _PROVIDERS:
        import_module(_PROVIDERS[0]).register_all()
        del _PROVIDERS[0]


def register(*sentences: Sentence) -> None:
    """Add sentences; one for the same action again replaces the first."""
    for each in sentences:
        _SENTENCES[each.action] = each


def register_object(*objects: HistoryObject) -> None:
    """Add kinds of things; the same name again replaces the first."""
    for each in objects:
        _OBJECTS[each.name] = each


def registered(action: str) -> Sentence | None:
    """The sentence of an action; None when nobody has registered one."""
    _load()
    return _SENTENCES.get(action)


def title_of(sentence: Sentence) -> str:
    """The action alone, for lists to choose from: the sentence without its names and values."""
    text = str(sentence.text or sentence.title or _("Changed settings"))
    if text.startswith("%(actor)s"):
        text = _PLACE.sub("", text, count=1)
    return capfirst(_BLANKS.sub("…", _PLACE.sub("…", _DETAIL.sub("", text))).strip())


def groups() -> dict[str, list[tuple[str, str]]]:
    """Every action by its group, in the reader's language: group → (action, title)."""
    _load()
    found: dict[str, list[tuple[str, str]]] = {}
    for each in _SENTENCES.values():
        found.setdefault(str(each.group), []).append((each.action, title_of(each)))
    return {
        group: sorted(actions, key=lambda action: action[1])
        for group, actions in sorted(found.items())
    }


def object_words() -> dict[str, str]:
    """Every kind of thing that entries are about, in words."""
    _load()
    words = {name: str(kind.word) for name, kind in KINDS.items()}
    words |= {name: str(each.word) for name, each in _OBJECTS.items()}
    return dict(sorted(words.items(), key=lambda each: each[1]))


def object_word(kind: str) -> str:
    """One kind of thing in words; "" for one that nobody has registered."""
    _load()
    known = KINDS.get(kind) or _OBJECTS.get(kind)
    return str(known.word) if known else ""


def pages_of(reader: "Principal", kind: str, ids: Collection[str]) -> Mapping[str, str]:
    """id → address of the page, of the things of a kind that the reader may open."""
    from poolsite.console.managed import may_see

    _load()
    if kind in _OBJECTS:
        return _OBJECTS[kind].pages(reader, ids)
    its = KINDS.get(kind)
    if its is None:
        return {}
    rows = its.things().filter(slug__in=ids)
    return {row.slug: its.url(row) for row in rows if may_see(reader, its, row)}
