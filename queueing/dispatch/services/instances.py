"""Use cases of single peers: set an instance's manual state, end a session or a link."""

import re
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, moments
from poolsite.access.services.actor import Actor, clean_reason, name_of, require
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import PEER_PATTERN, Group, Instance, ManualState
from queueing.dispatch.services.common import (
    known_instance,
    locked,
    redis_refusals,
    send_after_commit,
)
from queueing.dispatch.services.groups import apply_name

_NAME = re.compile(PEER_PATTERN)
UNTIL_ACTOR = "dispatch.until"
ROWS = 200


def instance_of(group: Group, name: str) -> Instance:
    """Return the row of a name. Create it if needed: an operator may set a name in advance."""
    if not _NAME.fullmatch(name):
        raise DispatchError("malformed", "invalid name: use 1 to 40 letters, digits, . _ and -")
    return known_instance(group, name)


def instance_set(
    *,
    actor: Actor,
    group: Group,
    name: str,
    state: str,
    reason: str = "",
    until: datetime | None = None,
) -> Instance:
    """Open, drain or block an instance by its name, in SQL and then in Redis.

    drain: no new sessions; open ones continue. blocked: open sessions end, too, and both ends are
    notified. `until`: when it opens automatically. A drain or block needs a reason. Health and
    upgrades never change this state.
    """
    require(actor, "dispatch.operate", group)
    if state not in ManualState.values:
        raise DispatchError("malformed", "the manual state must be open, drain or blocked")
    reason = clean_reason(reason, needed=state != ManualState.OPEN)
    if until is not None and (
        state == ManualState.OPEN or until <= timezone.now() or moments.is_too_late(until)
    ):
        raise DispatchError("malformed", "until: use a future time, and only for drain or blocked")
    with transaction.atomic():
        group = locked(group)
        return _set(actor, group, instance_of(group, name), state, reason, until)


def _set(
    actor: Actor,
    group: Group,
    instance: Instance,
    state: str,
    reason: str,
    until: datetime | None,
) -> Instance:
    """Set the state, inside a transaction that has locked the group."""
    before = _told(instance)
    instance.manual_state, instance.manual_reason = state, reason
    instance.manual_until, instance.manual_at = until, timezone.now()
    instance.manual_by = name_of(actor)
    instance.save(
        update_fields=[
            *("manual_state", "manual_reason", "manual_until", "manual_at", "manual_by"),
        ]
    )
    access.audit(
        actor=actor,
        action="dispatch.instance_set",
        thing=group,
        label=instance.name,
        before=before,
        after=_told(instance),
        reason=reason,
    )
    send_after_commit(group, lambda: apply_name(group, instance))
    return instance


def _told(instance: Instance) -> dict[str, str]:
    until = instance.manual_until.isoformat() if instance.manual_until else ""
    return {"name": instance.name, "state": instance.manual_state, "until": until}


def end_untils() -> dict[str, int]:
    """Open the instances whose `until` has passed. Running this twice at the same time is safe."""
    now = timezone.now()
    due = Instance.objects.filter(manual_until__lte=now, group__deleted_at=None)
    opened = 0
    for key, group_id in due.values_list("pk", "group_id")[:ROWS]:
        with transaction.atomic():
            group = locked(Group(pk=group_id))
            instance = Instance.objects.filter(pk=key, manual_until__lte=now).first()
            if instance is None:
                continue  # another run or an operator was first
            _set(UNTIL_ACTOR, group, instance, ManualState.OPEN, "its time has passed", None)
            opened += 1
    return {"opened": opened}


def session_end(*, actor: Actor, group: Group, session: str, reason: str) -> None:
    """End a session. Both ends are notified. Raise DispatchError if there is none."""
    reason = _note(actor, "dispatch.session_end", group, reason, session=session[:80])
    with redis_refusals():
        ended = hotpath.run(commands.end_session(group.slug, session, reason))
    if not ended:
        raise DispatchError("unknown-session", _("Session not found."))


def peer_disconnect(*, actor: Actor, group: Group, peer: str, reason: str) -> None:
    """Close a peer's link ("f:<id>", "b:<id>"). The peer is pending until it reconnects."""
    reason = _note(actor, "dispatch.peer_disconnect", group, reason, peer=peer[:42])
    with redis_refusals():
        closed = hotpath.run(commands.disconnect(group.slug, peer, reason))
    if not closed:
        raise DispatchError("unknown-peer", _("Link not found."))


def _note(actor: Actor, action: str, group: Group, reason: str, **what: str) -> str:
    """Check the right, and write the audit entry before the action. Return the cleaned reason."""
    require(actor, "dispatch.operate", group)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action=action,
            thing=group,
            label="".join(what.values()),
            before=what,
            reason=reason,
        )
    return reason
