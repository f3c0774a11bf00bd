"""Undo: settings of a thing go back to what they were before one entry of the history.

Safe means: the thing is still there, and each value still is what that change made of it. The way
back is a change like any other, through the same service, with its own entry. Where it cannot be
honest (money moved, a tariff is in use), whoever may change the thing is told why.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from poolsite import access
from poolsite.access import Decision, Principal
from poolsite.access.auditing import as_kept
from poolsite.access.models import AuditEntry
from poolsite.operations.managed import FINALS, WAYS, Way


@dataclass(frozen=True)
class Standing:
    """What the history offers beside an entry: a button, why there is none, or nothing."""

    possible: bool = False
    why_not: str = ""


def standing(principal: Principal, entry: AuditEntry) -> Standing:
    """Whether the reader may take this very change back now, and else why not.

    Nothing for who could not change the thing anyhow. A second factor is asked for when it is
    done, as by the pages of the things.
    """
    way = _way_of(entry)
    if way is None:
        final = FINALS.get(entry.action)
        told = final is not None and _may(principal, final.right, entry)
        return Standing(why_not=final.why(entry) if final is not None and told else "")
    thing = way.of(entry).first()
    if not _may(principal, way.right(entry), entry if thing is None else thing):
        return Standing()
    why_not = _("It is not there any more.") if thing is None else _why_not(way, thing, entry)
    return Standing(not why_not, why_not)


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
        raise ValidationError(why or _("This is not a change of settings."))
    with transaction.atomic():
        found = way.of(entry).first()
        if found is not None:
            way.undo.lock(found)
        thing = way.of(entry).select_for_update(of=("self",)).first()
        if thing is None:
            raise access.Hidden
        access.require(actor, way.right(entry), thing)
        if why_not := _why_not(way, thing, entry):
            raise ValidationError(why_not)
        before = _values(thing, entry.before or {})
        way.undo.configure(actor, thing, f"undoes entry {entry.pk}", before or {})
    return thing


def _may(principal: Principal, right: str, thing: Any) -> bool:
    return access.decide(principal, right, thing) in (Decision.ALLOW, Decision.FACTOR)


def _way_of(entry: AuditEntry) -> Way | None:
    """The way back from this entry; None where it is no change of settings."""
    way = WAYS.get(entry.action)
    return way if way is not None and way.kind == entry.thing_kind else None


def _why_not(way: Way, thing: Any, entry: AuditEntry) -> str:
    before, after = entry.before or {}, entry.after or {}
    made = _values(thing, after)
    if not after or set(before) != set(after) or made is None or _values(thing, before) is None:
        return _("What it was before cannot be set any more.")
    if any(_now(thing, name) != value for name, value in made.items()):
        return _("It was changed again since. Look at the newer entries.")
    return way.undo.why_not(thing)


def _values(thing: Any, kept: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the log keeps as JSON, as the model's fields have it; None when one is none of them.

    Other things are kept by their slugs.
    """
    values: dict[str, Any] = {}
    for name, value in kept.items():
        try:
            field = thing._meta.get_field(name)
            if field.is_relation:
                values[name] = _related(field, value)
            else:
                values[name] = field.to_python(value)
        except (FieldDoesNotExist, ValidationError):
            return None
    return values


def _now(thing: Any, name: str) -> Any:
    """What a field has now, as exactly as the log would keep it."""
    field = thing._meta.get_field(name)
    if field.many_to_many:
        return list(getattr(thing, name).order_by("slug"))
    if field.is_relation:
        return getattr(thing, name)
    return field.to_python(as_kept({name: getattr(thing, name)})[name])


def _related(field: Any, kept: Any) -> Any:
    """The rows of these slugs, in their order. ValidationError when one is not there any more."""
    if kept is None and not field.many_to_many:
        return None
    slugs = kept if field.many_to_many else [kept]
    if not isinstance(slugs, list) or not all(isinstance(slug, str) for slug in slugs):
        raise ValidationError("not kept by slugs")
    found = list(field.related_model._default_manager.filter(slug__in=slugs).order_by("slug"))
    if len(found) != len(set(slugs)):
        raise ValidationError("one is gone")
    return found if field.many_to_many else found[0]
