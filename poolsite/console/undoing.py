"""Undo: settings of a thing go back to what they were before one entry of the history.

Safe means: the thing is still there, each value still is what that change made of it, and the
reader gives nothing that is not his or hers to give. The way back is a change like any other,
through the same service, with its own entry. Where it cannot be honest (money moved, a tariff is
in use), whoever may change the thing is told why.
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
    """What the history offers beside an entry: a button, why there is none, or nothing."""

    possible: bool = False
    why_not: str = ""


def standing(principal: Principal, entry: AuditEntry) -> UndoOffer:
    """Whether the reader may take this very change back now, and else why not.

    Nothing for who could not change the thing anyhow. A second factor is asked for when it is
    done, as by the pages of the things.
    """
    way = _way_of(entry)
    if way is None:
        final = FINALS.get(entry.action)
        told = final is not None and _may(principal, final.right, entry)
        return UndoOffer(why_not=final.why(entry) if final is not None and told else "")
    thing = way.of(entry).first()
    if not _may(principal, way.right(entry), entry if thing is None else thing):
        return UndoOffer()
    why_not = _why_not(principal, way, thing, entry) if thing else _("It no longer exists.")
    return UndoOffer(not why_not, why_not)


def can_undo(principal: Principal, entry: AuditEntry) -> bool:
    """Whether the reader may take this very change back now."""
    return standing(principal, entry).possible


def undo(entry: AuditEntry, *, actor: Principal) -> Any:
    """Take the change of `entry` back; returns the thing.

    ValidationError when something else was changed since, or the values fit no longer. Raises
    access' answers when the actor may not see the entry or change the thing.
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
    """The key of the entry that this one takes back; None when it takes none back."""
    key = entry.reason.removeprefix(_UNDOES)
    return int(key) if key != entry.reason and key.isascii() and key.isdecimal() else None


def _may(principal: Principal, right: str, thing: Any) -> bool:
    return access.decide(principal, right, thing).possible


def _way_of(entry: AuditEntry) -> UndoHandler | None:
    """The way back from this entry; None where it is no change of settings."""
    return WAYS.get((entry.action, entry.thing_kind))


def _why_not(principal: Principal, way: UndoHandler, thing: Any, entry: AuditEntry) -> str:
    before, after = entry.before or {}, entry.after or {}
    made, wanted = way.undo.values(thing, after), way.undo.values(thing, before)
    if not after or set(before) != set(after) or made is None or wanted is None:
        return _("The earlier values can no longer be restored.")
    if not way.undo.stands(thing, made):
        return _("It has been changed since. Check the newer entries.")
    return way.undo.why_not(thing) or way.undo.refusal(principal, thing, wanted)
