"""Helpers for the tests of the history's undo."""

from poolsite.access import Principal
from poolsite.access.models import AuditEntry
from poolsite.console import undoing


def latest(action: str) -> AuditEntry:
    return AuditEntry.objects.filter(action=action).order_by("-pk")[0]


def back(change: AuditEntry, actor: Principal, *, action: str = "") -> AuditEntry:
    """Undo a change.

    Return the entry that this wrote, of `action` or else of the change's action.
    """
    assert undoing.standing(actor, change) == undoing.UndoOffer(possible=True)
    undoing.undo(change, actor=actor)
    made = latest(action or change.action)
    assert made.pk > change.pk
    assert made.reason == f"undoes entry {change.pk}"
    assert made.actor_name == actor.name
    return made
