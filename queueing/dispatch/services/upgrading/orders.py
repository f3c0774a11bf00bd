"""An operator's orders: start an upgrade, end the remaining sessions, abort."""

import re
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, live
from poolsite.access.services.actor import Actor, clean_reason, name_of, require
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import webhook_events
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import (
    PEER_PATTERN,
    Group,
    Instance,
    Upgrade,
    UpgradeStep,
)
from queueing.dispatch.services.common import locked, redis_refusals, send_after_commit
from queueing.dispatch.services.groups import apply_name
from queueing.dispatch.services.instances import instance_of
from queueing.dispatch.services.noting import note
from queueing.dispatch.services.upgrading import load

Status, Step = Upgrade.Status, UpgradeStep.Status
_VERSION = re.compile(PEER_PATTERN)
PAGE = 500


def upgrade_start(
    *,
    actor: Actor,
    group: Group,
    target_version: str,
    max_drain_seconds: int = 600,
    at_limit: str = Upgrade.AtLimit.WAIT,
    reason: str = "",
) -> Upgrade:
    """Order the upgrade of every linked instance that has another version.

    Raise DispatchError if an upgrade is running, every instance has that version, or the others
    can't carry the sessions of an instance that goes. Raise ValidationError if a value is invalid.
    """
    require(actor, "dispatch.operate", group)
    if not _VERSION.fullmatch(target_version):
        raise DispatchError(
            "malformed",
            _("Enter a version of 1 to 40 letters, digits, or the characters . _ and -."),
        )
    with redis_refusals():
        rows = hotpath.run(commands.peers(group.slug))
    note(group, rows)
    linked = load.backs(rows)
    todo = [row for row in linked if row.version != target_version]
    _check(linked, todo, target_version)
    with transaction.atomic():
        group = locked(group)
        if Upgrade.objects.filter(group=group, status=Status.RUNNING).exists():
            raise DispatchError(
                "upgrade-refused", _("An upgrade of this group is already running.")
            )
        upgrade = Upgrade(
            group=group,
            target_version=target_version,
            max_drain_seconds=max_drain_seconds,
            at_limit=at_limit,
            created_by=name_of(actor),
            reason=clean_reason(reason),
        )
        upgrade.full_clean(validate_constraints=False)
        upgrade.save(force_insert=True)
        for position, row in enumerate(todo, start=1):
            UpgradeStep.objects.create(
                upgrade=upgrade,
                instance=instance_of(group, row.name),
                position=position,
                version_before=row.version,
                sessions=row.sessions,
            )
        _audit(actor, "dispatch.upgrade_start", upgrade, reason, names=[row.name for row in todo])
        touch(upgrade)
    return upgrade


def _check(linked: list[commands.PeerRow], todo: list[commands.PeerRow], target: str) -> None:
    if not linked:
        raise DispatchError("upgrade-refused", _("No instances are linked."))
    if not todo:
        text = _("Every instance already has version %(version)s.")
        raise DispatchError("upgrade-refused", text % {"version": target})
    for row in todo:
        missing = load.lacking(linked, row.name)
        if missing:
            text = _(
                "The other instances can't carry the load without %(name)s: there is no room "
                "for %(count)s sessions. Open or add an instance first."
            )
            raise DispatchError("upgrade-refused", text % {"name": row.name, "count": missing})


def upgrade_force(*, actor: Actor, upgrade: Upgrade, reason: str) -> int:
    """End the remaining sessions on the draining instance. Return how many ended."""
    require(actor, "dispatch.operate", upgrade.group)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        upgrade = locked_upgrade(upgrade.pk)
        step = upgrade.steps.filter(status=Step.DRAINING).select_related("instance").first()
        if upgrade.status != Status.RUNNING or step is None:
            raise DispatchError(
                "upgrade-refused", _("No instance is draining for this upgrade right now.")
            )
        step.forced_at, step.forced_by = timezone.now(), name_of(actor)
        step.save(update_fields=["forced_at", "forced_by"])
        _audit(actor, "dispatch.upgrade_force", upgrade, reason, name=step.instance.name)
    return end_left(step, reason)


def end_left(step: UpgradeStep, reason: str) -> int:
    """End the remaining sessions on a step's instance. Both ends of each are notified."""
    slug, name = step.upgrade.group.slug, step.instance.name
    ended, after = 0, ""
    with redis_refusals():
        its_id = hotpath.run(commands.names(slug)).get(name, (None, ""))[1]
        while its_id:
            page = hotpath.run(commands.sessions_of(slug, commands.back(its_id), after, PAGE))
            ends = [commands.end_session(slug, row.session, reason) for row in page.rows]
            ended += sum(done is True for done in hotpath.run_batch(ends))
            after = page.after
            if not after:
                break
    counted = UpgradeStep.objects.filter(pk=step.pk)
    counted.update(sessions_ended=F("sessions_ended") + ended)
    return ended


def upgrade_abort(*, actor: Actor, upgrade: Upgrade, reason: str) -> Upgrade:
    """Abort the upgrade in its current state.

    Only the upgrade's own drain is lifted. Every name then has the state that an operator set, and
    each step records it.
    """
    require(actor, "dispatch.operate", upgrade.group)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        upgrade = locked_upgrade(upgrade.pk)
        if upgrade.status != Status.RUNNING:
            raise DispatchError("upgrade-refused", _("This upgrade has already ended."))
        now = timezone.now()
        for step in upgrade.steps.exclude(status=Step.DONE).select_related("instance"):
            let_go(upgrade.group, step.instance)
            step.status, step.ended_at = Step.SKIPPED, now
            step.state_after = step.instance.manual_state
            step.save(update_fields=["status", "ended_at", "state_after"])
        upgrade.status, upgrade.note = Status.ABORTED, ""
        upgrade.ended_at, upgrade.ended_by, upgrade.ended_reason = now, name_of(actor), reason
        upgrade.save(update_fields=["status", "note", "ended_at", "ended_by", "ended_reason"])
        states = {step.instance.name: step.instance.manual_state for step in _steps(upgrade)}
        _audit(actor, "dispatch.upgrade_abort", upgrade, reason, states=states)
        webhook_events.tell(webhook_events.ABORTED, upgrade)
        touch(upgrade)
    return upgrade


def let_go(group: Group, instance: Instance) -> None:
    """Lift the upgrade's own drain of an instance, inside a transaction."""
    instance.refresh_from_db()
    if instance.upgrading:
        instance.upgrading = False
        instance.save(update_fields=["upgrading"])
        send_after_commit(group, lambda: apply_name(group, instance))


def locked_upgrade(key: int) -> Upgrade:
    """Return the upgrade's row, locked until the transaction ends."""
    rows = Upgrade.objects.select_for_update(of=("self",)).select_related("group__account")
    return rows.get(pk=key)


def touch(upgrade: Upgrade) -> None:
    """Wake the pages that show the upgrade, after the commit."""
    for address in (f"dispatch.upgrade:{upgrade.pk}", f"dispatch.group:{upgrade.group.slug}"):
        transaction.on_commit(partial(live.touch, address))


def _steps(upgrade: Upgrade) -> list[UpgradeStep]:
    return list(upgrade.steps.select_related("instance"))


def _audit(actor: Actor, action: str, upgrade: Upgrade, reason: str, **after: Any) -> None:
    told = {"upgrade": upgrade.pk, "version": upgrade.target_version, **after}
    access.audit(
        actor=actor,
        action=action,
        thing=upgrade.group,
        label=f"upgrade {upgrade.pk}",
        after=told,
        reason=clean_reason(reason),
    )
