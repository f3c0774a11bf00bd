"""The apps' registered sentences for actions, and the kinds of objects of entries."""

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

Lazy = Any  # a text that is translated where it is shown
_BLANKS = re.compile(r"[“”]*…(?:[“”\s]*…)*[“”]*")
_DETAIL = re.compile(r"[:：].*$")
_PLACE = re.compile(r"%\((\w+)\)s")


@dataclass(frozen=True)
class SettingsFields:
    """The source of an entry's fields. Labels come from the form in which people change the fields.

    form: if it lacks a field, the model has the label. labels, kinds: by name, for fields that
    neither the form nor the model describes.
    """

    model: type[Model] | None = None
    form: "type[forms.BaseForm] | None" = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    labels: Mapping[str, Lazy] = field(default_factory=dict)

    def label(self, name: str) -> str:
        """Return a field's label in the form, or "" if people do not know the field."""
        if name in self.labels:
            return str(self.labels[name])
        fields = getattr(self.form, "base_fields", {})
        if name in fields and fields[name].label:
            return label_of(name, fields[name].label)
        model_field = self._field(name)
        return label_of(name, capfirst(model_field.verbose_name)) if model_field is not None else ""

    def kind(self, name: str) -> Kind:
        """Return how a field's values are written."""
        if name in self.kinds:
            return self.kinds[name]
        model_field = self._field(name)
        return plain if model_field is None else kind_of_field(model_field)

    def _field(self, name: str) -> Any:
        if self.model is None:
            return None
        try:
            model_field = self.model._meta.get_field(name)
        except FieldDoesNotExist:
            return None
        return model_field if hasattr(model_field, "verbose_name") else None


@dataclass(frozen=True)
class Sentence:
    """The sentence of one action, with placeholders `%(actor)s`, `%(thing)s` and the entry's
    values.

    group: the chip below the sentence and the heading in the list of actions.
    text: "" for a change of settings, which is described by the fields that differ.
    places: the kinds of the values, by name.
    variant: another text for some entries, or ""; `places` also applies to its values.
    settings: the source of the fields in before and after.
    title: the name of a change of settings in lists of actions, if a group has several.
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
    """A kind of object that entries are about, in addition to the managed kinds.

    pages: ID → URL of its page, for the objects that the reader may open.
    """

    name: str
    word: Lazy
    pages: Callable[["Principal", Collection[str]], Mapping[str, str]] = lambda _reader, _ids: {}


_PROVIDERS: list[str] = []
_SENTENCES: dict[str, Sentence] = {}
_OBJECTS: dict[str, HistoryObject] = {}


def provide(module: str) -> None:
    """Have `module.register_all()` called before the log is first read.

    Call this in AppConfig.ready().
    """
    if module not in _PROVIDERS:
        _PROVIDERS.append(module)


def _load() -> None:
    while _PROVIDERS:
        import_module(_PROVIDERS[0]).register_all()
        del _PROVIDERS[0]


def register(*sentences: Sentence) -> None:
    """Add sentences. Each replaces one for the same action."""
    for each in sentences:
        _SENTENCES[each.action] = each


def register_object(*objects: HistoryObject) -> None:
    """Add kinds of objects. Each replaces one of the same name."""
    for each in objects:
        _OBJECTS[each.name] = each


def registered(action: str) -> Sentence | None:
    """Return the sentence of an action, or None if none is registered."""
    _load()
    return _SENTENCES.get(action)


def title_of(sentence: Sentence) -> str:
    """Return the action alone, for lists of choices: the sentence without names and values."""
    text = str(sentence.text or sentence.title or _("Changed settings"))
    if text.startswith("%(actor)s"):
        text = _PLACE.sub("", text, count=1)
    return capfirst(_BLANKS.sub("…", _PLACE.sub("…", _DETAIL.sub("", text))).strip())


def groups() -> dict[str, list[tuple[str, str]]]:
    """Return every action by its group, in the reader's language: group → (action, title)."""
    _load()
    found: dict[str, list[tuple[str, str]]] = {}
    for each in _SENTENCES.values():
        found.setdefault(str(each.group), []).append((each.action, title_of(each)))
    return {
        group: sorted(actions, key=lambda action: action[1])
        for group, actions in sorted(found.items())
    }


def object_words() -> dict[str, str]:
    """Return every kind of object of entries, with its name in the reader's language."""
    _load()
    words = {name: str(kind.word) for name, kind in KINDS.items()}
    words |= {name: str(each.word) for name, each in _OBJECTS.items()}
    return dict(sorted(words.items(), key=lambda each: each[1]))


def object_word(kind: str) -> str:
    """Return the name of one kind of object, or "" if it is not registered."""
    _load()
    known = KINDS.get(kind) or _OBJECTS.get(kind)
    return str(known.word) if known else ""


def pages_of(reader: "Principal", kind: str, ids: Collection[str]) -> Mapping[str, str]:
    """Return ID → URL of the page, for the objects of a kind that the reader may open."""
    from poolsite.console.managed import may_see

    _load()
    if kind in _OBJECTS:
        return _OBJECTS[kind].pages(reader, ids)
    managed = KINDS.get(kind)
    if managed is None:
        return {}
    rows = managed.things().filter(slug__in=ids)
    return {row.slug: managed.url(row) for row in rows if may_see(reader, managed, row)}
