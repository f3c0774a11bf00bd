"""Use cases of a whole group: create, configure, delete."""

from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor
from poolsite.access.services.aggregates import Act
from poolsite.aggregates.services.lives import Life
from poolsite.hotpath.rows import as_stored
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Instance, UnsentChange, Upgrade
from queueing.dispatch.services.common import (
    name_state,
    name_states,
    redis_refusals,
    send_after_commit,
    settings_of,
)

SETTINGS = (
    *("name", "description", "heartbeat_seconds", "missed_limit", "disconnect_seconds"),
    *("sharing", "route_limit_seconds", "timed_route_seconds", "out_limit", "ends_limit"),
    "log_limit",
    *("start_retries", "answer_seconds", "failure_threshold_percent", "failure_minimum_sessions"),
    *("failure_window_seconds", "ejection_seconds", "max_ejection_percent", "slow_start_seconds"),
)

TELLING_ROUNDS = 20  # of 500 sessions each


def group_create(
    *,
    actor: Actor,
    slug: str,
    name: str = "",
    account: Account | None = None,
    reason: str = "",
    **settings: Any,
) -> Group:
    """Create a group in SQL and then in Redis. Raise ValidationError if a field is invalid.

    A slug that any group has or had is refused, because years of history refer to it.
    """
    act = Act(actor, "dispatch.group_create", reason)
    return LIFE.create(act, slug=slug, name=name, account=account, settings=settings)


def group_configure(*, actor: Actor, group: Group, reason: str = "", **changes: Any) -> Group:
    """Change settings in SQL and then in Redis. Links and sessions continue."""
    return LIFE.configure(group, Act(actor, "dispatch.group_configure", reason), changes)


def group_delete(*, actor: Actor, group: Group, reason: str) -> None:
    """Delete a group. Its history is kept, and its slug can't be used again.

    Raise DispatchError while peers are linked or pending, and while an upgrade runs. All its data
    is removed from Redis, and a socket that was opened meanwhile is closed.
    """
    LIFE.delete(group, Act(actor, "dispatch.group_delete", reason))


def _refuse_in_use(group: Group, _reason: str) -> None:
    if Upgrade.objects.filter(group=group, status=Upgrade.Status.RUNNING).exists():
        raise DispatchError(
            "group-refused", _("An upgrade of this group is running. Abort it first.")
        )
    with redis_refusals():
        rows = (
            hotpath.run(commands.peers(group.slug))
            if hotpath.run(commands.show(group.slug))
            else []
        )
    linked = sum(row.state != "stop" for row in rows)
    if linked:
        text = ngettext(
            "%(n)s front-end or instance is linked. Stop it first.",
            "%(n)s front-ends and instances are linked. Stop them first.",
            linked,
        )
        raise DispatchError("group-refused", text % {"n": f"{linked:,}"})


# -- changes in Redis -----------------------------------------------------------------------------


def create_in_redis(group: Group) -> None:
    """Create the group's data of the current generation. This is harmless if it exists."""
    command = commands.create(group.slug, group.generation, settings_of(group), name_states(group))
    hotpath.run(command)


def destroy_in_redis(group: Group) -> None:
    """Remove a deleted group's data, and close sockets that have linked meanwhile."""
    hotpath.run(commands.destroy(group.slug, group.generation))
    UnsentChange.objects.filter(group=group).delete()


def apply_settings(group: Group) -> None:
    """Write the group's settings to Redis."""
    with as_stored(Group.all_objects, group) as now:
        hotpath.run(commands.configure(now.slug, settings_of(now)))


def apply_name(group: Group, instance: Instance) -> None:
    """Write a name's manual state, upgrade flag and tier to Redis, as SQL has them now."""
    with as_stored(Group.all_objects, group):
        instance.refresh_from_db()
        state = name_state(instance)
        # This is first, because it creates a name that never registered.
        changed = hotpath.run(
            commands.manual(
                *(group.slug, state.name, state.manual, state.until_us),
                instance.manual_reason,
            )
        )
        hotpath.run(commands.upgrade_flag(group.slug, state.name, state.upgrading))
        hotpath.run(commands.backup(group.slug, state.name, state.backup))
    if changed.ended:
        _tell_ends(group)


def _tell_ends(group: Group) -> None:
    """Notify both ends of blocked sessions now. The timers do the rest."""
    for _round in range(TELLING_ROUNDS):
        swept = hotpath.run(commands.sweep(group.slug))
        if swept is None or not swept.more:
            return


def _check(group: Group) -> None:
    if group.timed_route_seconds > group.route_limit_seconds:
        raise ValidationError(
            {
                "timed_route_seconds": _(
                    "The timed route duration can't exceed the maximum session duration."
                )
            }
        )


LIFE = Life(
    model=Group,
    settings=SETTINGS,
    may_create="dispatch.create",
    may_change="dispatch.configure",
    taken=gettext_lazy("This short name is or was used by another group. Choose a different one."),
    raced=gettext_lazy("Another group already uses this short name."),
    settings_of=settings_of,
    check=_check,
    begin=create_in_redis,
    apply=lambda group, _changed: apply_settings(group),
    after_commit=send_after_commit,
    close=_refuse_in_use,
    forget=lambda group: send_after_commit(group, lambda: destroy_in_redis(group)),
)
