"""Undo: an object's settings return to their values before one entry of the history.

This is safe if the object still exists, each value still is what that change made of it, and the
reader may set the earlier values. The undo is a change like any other, through the same service,
with its own entry. If it can't be done honestly (money moved, a tariff is in use), the users who
may change the object see the reason.
"""

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import AuditEntry
from poolsite.console.managed import FINALS, WAYS, UndoHandler

_UNDOES = "undoes entry "


@dataclass(frozen=True)
class UndoOffer:
    """What the history offers next to an entry: a button, the reason why not, or nothing."""

    possible: bool = False
    why_not: str = ""


def standing(principal: Principal, entry: AuditEntry) -> UndoOffer:
    """Return whether the reader may undo this change now, or the reason why not.

    The result is empty for a reader who may not change the object anyway. A second factor is
    requested when the undo is done, as on the objects' pages.
    """
    way = _way_of(entry)
    if way is None:
        final = FINALS.get(entry.action)
        sees_reason = final is not None and _may(principal, final.right, entry)
        return UndoOffer(why_not=final.why(entry) if final is not None and sees_reason else "")
    thing = way.of(entry).first()
    if not _may(principal, way.right(entry), entry if thing is None else thing):
        return UndoOffer()
    why_not = _why_not(principal, way, thing, entry) if thing else _("It no longer exists.")
    return UndoOffer(not why_not, why_not)


def can_undo(principal: Principal, entry: AuditEntry) -> bool:
    """Return whether the reader may undo this change now."""
    return standing(principal, entry).possible


def gives_access(entry: AuditEntry) -> bool:
    """Return whether the undo may give a person a grant, so that the reader must confirm first."""
    return entry.action.startswith("access.grant_")


def undo(entry: AuditEntry, *, actor: Principal) -> Any:
    """Undo the change of `entry`. Return the object.

    Raise ValidationError if something else was changed since, or the values are no longer valid.
    Raise access' refusals if the actor may not see the entry or change the object.
    """
    access.require(actor, "access.history_view", entry)
    way = _way_of(entry)
    if way is None:
        final = FINALS.get(entry.action)
        why = final.why(entry) if final is not None else ""
        raise ValidationError(why or _("This entry isn't a settings change."))
    with transaction.atomic():
        found = way.of(entry).first()
        if found is not None:
            way.undo.lock(found)
        thing = way.of(entry).select_for_update(of=("self",)).first()
        if thing is None:
            raise access.Hidden
        access.require(actor, way.right(entry), thing)
        if why_not := _why_not(actor, way, thing, entry):
            raise ValidationError(why_not)
        before = way.undo.values(thing, entry.before or {})
        way.undo.configure(actor, thing, f"{_UNDOES}{entry.pk}", before or {})
    return thing


def undone_by(entry: AuditEntry) -> int | None:
    """Return the ID of the entry that this one undoes, or None if it undoes none."""
    key = entry.reason.removeprefix(_UNDOES)
    return int(key) if key != entry.reason and key.isascii() and key.isdecimal() else None


def _may(principal: Principal, right: str, thing: Any) -> bool:
    return access.decide(principal, right, thing).possible


def _way_of(entry: AuditEntry) -> UndoHandler | None:
    """Return the undo of this entry, or None if it is not a change of settings."""
    return WAYS.get((entry.action, entry.thing_kind))


def _why_not(principal: Principal, way: UndoHandler, thing: Any, entry: AuditEntry) -> str:
    before, after = entry.before or {}, entry.after or {}
    made, wanted = way.undo.values(thing, after), way.undo.values(thing, before)
    if not after or set(before) != set(after) or made is None or wanted is None:
        return _("The earlier values can no longer be restored.")
    if not way.undo.stands(thing, made):
        return _("It has been changed since. Check the newer entries.")
    return way.undo.why_not(thing) or way.undo.refusal(principal, thing, wanted)
