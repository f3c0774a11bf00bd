"""Which instances serve: backups, and ending an ejection."""

from django.db import transaction
from django.utils.translation import gettext as _

from poolsite import access, hotpath, live
from poolsite.access.services.actor import Actor, clean_reason, require
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.services.common import locked, redis_refusals, send_after_commit
from queueing.dispatch.services.groups import apply_name
from queueing.dispatch.services.instances import instance_of


def instance_backup(
    *, actor: Actor, group: Group, name: str, backup: bool, reason: str = ""
) -> Instance:
    """Make an instance a backup, or a primary again, in SQL and then in Redis.

    A backup gets new sessions only while no primary can take them. Its open sessions continue in
    both cases. Setting the current value changes nothing. Making an instance a backup needs a
    reason.
    """
    require(actor, "dispatch.operate", group)
    reason = clean_reason(reason, needed=backup)
    with transaction.atomic():
        group = locked(group)
        instance = instance_of(group, name)
        if instance.backup == backup:
            return instance
        instance.backup = backup
        instance.save(update_fields=["backup"])
        access.audit(
            actor=actor,
            action="dispatch.instance_backup",
            thing=group,
            label=name,
            before={"name": name, "backup": not backup},
            after={"name": name, "backup": backup},
            reason=reason,
        )
        send_after_commit(group, lambda: apply_name(group, instance))
        transaction.on_commit(lambda: live.touch(f"dispatch.peers:{group.slug}"))
    return instance


def instance_uneject(*, actor: Actor, group: Group, name: str, reason: str) -> None:
    """End an instance's ejection. Its manual state is kept. Raise DispatchError if not ejected."""
    require(actor, "dispatch.operate", group)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="dispatch.instance_uneject",
            thing=group,
            label=name[:40],
            before={"name": name[:40]},
            reason=reason,
        )
    with redis_refusals():
        done = hotpath.run(commands.uneject(group.slug, name, reason))
    if done == commands.reasons.REPEAT:
        raise DispatchError("group-refused", _("This instance is not ejected."))
