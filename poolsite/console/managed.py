"""The kinds of objects that operators manage, as far as all kinds are treated alike.

Apps register their kinds in `AppConfig.ready()`. Each object of a kind can have tags and notes, and
a change of its settings can be undone from the history. An object with settings but without tags
and notes registers only its undo, and a change that can never be undone registers the reason.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Model, QuerySet

from poolsite import access
from poolsite.access import Principal
from poolsite.console import kept_values
from poolsite.console.kept_values import Values

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

    from poolsite.access.models import AuditEntry


@dataclass(frozen=True)
class Undo:
    """How a change of settings is undone: the action of its audit entry, and the service.

    configure: called with (principal, thing, reason, values); raises ValidationError.
    why_not: why no change of this object can be undone now, or "" if it can.
    refusal: why this reader may not set these values again, though others may.
    lock: takes the locks that the service takes before that of the object.
    values: the values in an entry's `before` or `after`, or None if they can't be set any more.
    stands: whether the object still has these values.
    """

    action: str
    configure: Callable[[Principal, Any, str, Values], object]
    why_not: Callable[[Any], str] = lambda _thing: ""
    lock: Callable[[Any], object] = lambda _thing: None
    refusal: Callable[[Principal, Any, Values], str] = lambda _principal, _thing, _values: ""
    values: Callable[[Any, Values], Values | None] = kept_values.of_fields
    stands: Callable[[Any, Values], bool] = kept_values.stand_in_fields


def through(
    service: Callable[..., object], thing: str
) -> Callable[[Principal, Any, str, Values], object]:
    """Return the `configure` of an Undo that calls `service` with actor, reason, values and
    `thing`.
    """
    return lambda actor, row, reason, values: service(
        actor=actor, reason=reason, **{thing: row}, **values
    )


@dataclass(frozen=True)
class UndoHandler:
    """A registered undo. `things` are found by the entry's kind and ID.

    right: the action that the reader must be allowed, by the entry. thing_of: the row of `things`
    that the entry is about, as a queryset of one or none.
    """

    undo: Undo
    kind: str
    things: Callable[[], QuerySet[Any]]
    right: Callable[["AuditEntry"], str]
    thing_of: Callable[[QuerySet[Any], "AuditEntry"], QuerySet[Any]] = lambda things, entry: (
        things.filter(pk=entry.thing_id) if entry.thing_id.isdecimal() else things.none()
    )

    def of(self, entry: "AuditEntry") -> QuerySet[Any]:
        """Return the object of an entry, as a queryset of one or no row."""
        return self.thing_of(self.things(), entry)


@dataclass(frozen=True)
class NotUndoable:
    """A change that can never be undone. right: the action of the users who see the reason.

    why: the reason for an entry, in the reader's language, or "" if there was nothing to undo.
    """

    action: str
    right: str
    why: Callable[["AuditEntry"], str]


@dataclass(frozen=True)
class ManagedKind:
    """One kind. `things` are its rows that aren't deleted, each with a slug of its own.

    view, change: the actions that tags and notes require. readers: the text for the page that
    describes the users who see them.
    """

    name: str
    word: "StrOrPromise"
    readers: "StrOrPromise"
    things: Callable[[], QuerySet[Any]]
    url: Callable[[Any], str]
    view: str
    change: str
    undo: Undo | None = None


KINDS: dict[str, ManagedKind] = {}
WAYS: dict[tuple[str, str], UndoHandler] = {}  # by the action and the kind of object
FINALS: dict[str, NotUndoable] = {}


def register_managed(kind: ManagedKind) -> None:
    """Add a kind. It replaces a kind of the same name."""
    KINDS[kind.name] = kind
    if kind.undo is not None:
        register_way(
            UndoHandler(
                kind.undo,
                kind.name,
                kind.things,
                lambda _entry: kind.change,
                lambda things, entry: things.filter(slug=entry.thing_id),
            )
        )


def register_way(way: UndoHandler) -> None:
    """Add an undo. It replaces one for the same action and kind."""
    WAYS[way.undo.action, way.kind] = way


def register_final(final: NotUndoable) -> None:
    """Add a change that can't be undone, with the reason that the history shows."""
    FINALS[final.action] = final


def kind_of(thing: Model) -> ManagedKind:
    """Return the kind of a row. Raise LookupError if its model was not registered."""
    for kind in KINDS.values():
        if kind.things().model is type(thing):
            return kind
    raise LookupError(f"{type(thing).__name__} is no managed kind")


def find(name: str, slug: str) -> tuple[ManagedKind, Any]:
    """Return a kind and its object with that slug. Raise access.Hidden if there is none."""
    kind = KINDS.get(name)
    thing = kind.things().filter(slug=slug).first() if kind else None
    if kind is None or thing is None:
        raise access.Hidden
    return kind, thing


def may_see(principal: Principal, kind: ManagedKind, thing: Any) -> bool:
    """Return whether the reader may see the object's tags and notes."""
    return access.decide(principal, kind.view, thing).allowed
