"""The kinds of things that operators manage, as far as every kind is treated alike.

Apps register theirs in `AppConfig.ready()`. Tags and notes are kept for each of them, and a change
of its settings can be undone from the history. What has settings but no tags and notes registers
its way back alone, and what can never be undone says why.
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
    """How a change of settings is taken back: the action of its audit entry, and the service.

    configure: called with (principal, thing, reason, values); raises ValidationError. why_not: why
    no change of this thing can be taken back now; "" = it can. refusal: why this reader may not
    set these values again, which another could. lock: takes the locks that the service takes
    before that of the thing. values: what an entry's `before` or `after` stands for, None when it
    cannot be set any more; stands: whether the thing still has these.
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
    """The `configure` of an Undo: `service`, called with actor, reason, values and its `thing`."""
    return lambda actor, row, reason, values: service(
        actor=actor, reason=reason, **{thing: row}, **values
    )


@dataclass(frozen=True)
class UndoHandler:
    """A registered way back. `things` are looked up by the entry's kind and id.

    right: the action that the reader must be allowed, by the entry. thing_of: the rows of `things`
    that the entry is about, one at most.
    """

    undo: Undo
    kind: str
    things: Callable[[], QuerySet[Any]]
    right: Callable[["AuditEntry"], str]
    thing_of: Callable[[QuerySet[Any], "AuditEntry"], QuerySet[Any]] = lambda things, entry: (
        things.filter(pk=entry.thing_id) if entry.thing_id.isdecimal() else things.none()
    )

    def of(self, entry: "AuditEntry") -> QuerySet[Any]:
        """The thing of an entry, as rows: one or none."""
        return self.thing_of(self.things(), entry)


@dataclass(frozen=True)
class NotUndoable:
    """What is never taken back. right: who is told why, those who could have done it.

    why: of an entry, in the reader's language; "" = there was nothing to take back.
    """

    action: str
    right: str
    why: Callable[["AuditEntry"], str]


@dataclass(frozen=True)
class ManagedKind:
    """One kind. `things` are its living rows, each with a slug of its own.

    view, change: the actions that tags and notes ask for. readers: who sees them, for the page.
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
WAYS: dict[tuple[str, str], UndoHandler] = {}  # by the action and the kind of thing
FINALS: dict[str, NotUndoable] = {}


def register_managed(kind: ManagedKind) -> None:
    """Add a kind; the same name again replaces the first."""
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
    """Add a way back; one for the same action and kind again replaces the first."""
    WAYS[way.undo.action, way.kind] = way


def register_final(final: NotUndoable) -> None:
    """Add what is never taken back, with the reason that the history shows."""
    FINALS[final.action] = final


def kind_of(thing: Model) -> ManagedKind:
    """The kind of a row. LookupError when its model was not registered."""
    for kind in KINDS.values():
        if kind.things().model is type(thing):
            return kind
    raise LookupError(f"{type(thing).__name__} is no managed kind")


def find(name: str, slug: str) -> tuple[ManagedKind, Any]:
    """A kind and the thing of that slug; access.Hidden when there is none."""
    kind = KINDS.get(name)
    thing = kind.things().filter(slug=slug).first() if kind else None
    if kind is None or thing is None:
        raise access.Hidden
    return kind, thing


def may_see(principal: Principal, kind: ManagedKind, thing: Any) -> bool:
    """Whether the reader sees the thing's tags and notes."""
    return access.decide(principal, kind.view, thing).allowed
