"""Removes a name that no instance uses, in SQL and then in Redis."""

import contextlib

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, live
from poolsite.access.services.actor import Actor, clean_reason, require
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Instance, ManualState, Upgrade, UpgradeStep
from queueing.dispatch.services.common import locked, redis_refusals, send_after_commit


def name_forget(*, actor: Actor, group: Group, name: str, reason: str) -> None:
    """Remove an instance's name with its manual state. Upgrades and events still refer to it.

    Raise DispatchError if the group has no such name, while an instance is linked or pending under
    it, and while a running upgrade includes it. An instance that registers under it later is a new
    one.
    """
    require(actor, "dispatch.operate", group)
    reason = clean_reason(reason, needed=True)
    _refuse_linked(group, name)
    with transaction.atomic():
        group = locked(group)
        instance = Instance.objects.filter(group=group, name=name).first()
        if instance is None:
            raise DispatchError("unknown-instance", _("Instance not found."))
        _refuse_upgrading(instance)
        before = {"name": name, "state": instance.manual_state, "version": instance.version}
        _empty(instance)
        access.audit(
            actor=actor,
            action="dispatch.name_forget",
            thing=group,
            label=name,
            before=before,
            reason=reason,
        )
        send_after_commit(group, lambda: apply_forgotten(group, name))
        transaction.on_commit(lambda: live.touch(f"dispatch.peers:{group.slug}"))


def apply_forgotten(group: Group, name: str) -> None:
    """Remove the name from Redis, unless an instance has registered under it meanwhile."""
    with contextlib.suppress(commands.DispatchRefusedError):
        hotpath.run(commands.forget_name(group.slug, name))


def still_in_redis(group: Group) -> list[str]:
    """Return names that are removed in SQL and still in Redis, with no instance under them."""
    names = hotpath.run(commands.names(group.slug))
    gone = Instance.all_objects.filter(group=group).exclude(forgotten_at=None)
    removed = gone.values_list("name", flat=True)
    return [name for name in removed if name in names and not names[name][1]]


def _refuse_linked(group: Group, name: str) -> None:
    with redis_refusals():
        names = hotpath.run(commands.names(group.slug))
    if name in names and names[name][1]:
        raise DispatchError(
            "group-refused", _("An instance is linked or pending under this name. Stop it first.")
        )


def _refuse_upgrading(instance: Instance) -> None:
    steps = UpgradeStep.objects.filter(instance=instance, upgrade__status=Upgrade.Status.RUNNING)
    if steps.exists():
        raise DispatchError("group-refused", _("The running upgrade includes this instance."))


def _empty(instance: Instance) -> None:
    """Reset all that was set for the name, and mark it as removed."""
    instance.manual_state, instance.upgrading = ManualState.OPEN, False
    instance.backup = False
    instance.manual_reason = instance.manual_by = ""
    instance.manual_at = instance.manual_until = None
    instance.forgotten_at = timezone.now()
    instance.save(
        update_fields=[
            *("manual_state", "upgrading", "manual_reason", "manual_by", "manual_at"),
            *("manual_until", "backup", "forgotten_at"),
        ]
    )
