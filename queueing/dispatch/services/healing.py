"""Finds lost and half-sent data, and repairs it automatically.

Redis has the links and all routes. If they are lost, the group's data starts a new generation with
the settings and manual states in SQL. Peers reconnect and report their sessions (`resync`). Any
number of workers may find the loss at the same time: the worker that increments SQL's generation
does the work, and if it dies, another one continues.
"""

import logging
from datetime import timedelta
from functools import partial

from django.utils import timezone

from poolsite import hotpath
from poolsite.access.services.aggregates import Act, begin_anew
from poolsite.aggregates.services.recovering import check_life, finish_deletions, watch_each
from poolsite.history.models import Cursor
from poolsite.hotpath.rows import resend
from poolsite.jobs.shards import of_shard
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import DispatchEvent, Group, Instance, UnsentChange
from queueing.dispatch.services.common import name_states, settings_of
from queueing.dispatch.services.groups import (
    apply_name,
    apply_settings,
    create_in_redis,
    destroy_in_redis,
)
from queueing.dispatch.services.names import apply_forgotten, still_in_redis

logger = logging.getLogger(__name__)

KIND = "dispatch.group"
FRESH_SECONDS = 60


def group_check(group: Group, figures: commands.GroupFigures | None) -> bool:
    """Compare a group's data with SQL, and rebuild it if it was lost.

    figures: as just read from Redis. Return whether anything was done.
    """
    return check_life(group, figures, group_rebuild, _failed_over)


def _failed_over(group: Group, figures: commands.GroupFigures) -> bool:
    """Rebuild a group that is closed because its server was promoted (`hotpath/promoted`)."""
    return figures.healing and group_rebuild(group, "failed over", figures.generation)


def group_rebuild(group: Group, why: str, found_generation: int = 0) -> bool:
    """Start a new generation of the group's data. Raise the runner's errors.

    Return False if another worker does it.
    """
    cursor = Cursor.objects.filter(kind=KIND, tag=group.tag).first()
    never = cursor is None and not DispatchEvent.objects.filter(aggregate=group).exists()
    fresh = group.created_at > timezone.now() - timedelta(seconds=FRESH_SECONDS)
    if never and fresh and not found_generation:
        create_in_redis(group)  # its first generation: nothing was lost, it was not yet created
        return _still_there(group)
    act = Act("dispatch.rebuild", "dispatch.group_rebuild", why)
    drained = cursor.generation if cursor else 0
    generation = begin_anew(group, act, found_generation, drained)
    if generation is None:
        return False
    logger.warning("dispatch: group %s begins anew from SQL: %s", group.slug, why)
    command = commands.recover(group.slug, generation, settings_of(group), name_states(group))
    hotpath.run(command)
    return _still_there(group)


def _still_there(group: Group) -> bool:
    """Return whether the group still exists in SQL. If not, remove its new data from Redis."""
    if Group.objects.filter(pk=group.pk).exists():
        return True
    destroy_in_redis(Group.all_objects.get(pk=group.pk))
    return False


def watch_groups(shard: int, shards: int) -> dict[str, int]:
    """Check every group of a shard. Return counts of what was done."""
    groups = of_shard(Group.objects.select_related("account").order_by("pk"), shard, shards)
    done = {"groups": len(groups), "rebuilt": 0, "resent": 0, "failed": 0}

    def look(group: Group, figures: commands.GroupFigures | None) -> None:
        if group_check(group, figures):
            done["rebuilt"] += 1
        else:
            marks = UnsentChange.objects.filter(group=group)
            done["resent"] += resend(marks, partial(bring_to_redis, group))
            _end_recovery(group)

    watch_each(groups, commands.show, look, done, commands.DispatchRefusedError)
    finish_deletions(Group.all_objects.all(), destroy_in_redis, shard, shards, done)
    return done


def _end_recovery(group: Group) -> None:
    """End the recovery once peers have had time to reconnect and report their sessions."""
    over = timezone.now() - timedelta(seconds=group.disconnect_seconds)
    if group.recovering_since is not None and group.recovering_since < over:
        Group.objects.filter(pk=group.pk, recovering_since__lt=over).update(recovering_since=None)


def bring_to_redis(group: Group) -> None:
    """Write settings and every name's state from SQL. Repeatable. Raise the runner's errors."""
    apply_settings(group)
    for instance in Instance.objects.filter(group=group):
        apply_name(group, instance)
    for name in still_in_redis(group):
        apply_forgotten(group, name)


def differences(group: Group) -> dict[str, int]:
    """Return how many differences SQL and Redis have, by kind; empty if none. This only reads."""
    figures = hotpath.run(commands.show(group.slug))
    if figures is None:
        return {"missing in Redis": 1}
    drift = {
        "manual state": 0,
        "upgrade's drain": 0,
        "backup": 0,
        "generation": int(figures.generation != group.generation),
        "settings": int(figures.settings != settings_of(group)),
    }
    names = hotpath.run(commands.names(group.slug))
    for instance in Instance.objects.filter(group=group):
        state = (
            names[instance.name][0] if instance.name in names else commands.NameState(instance.name)
        )
        drift["manual state"] += state.manual != instance.manual_state
        drift["upgrade's drain"] += state.upgrading != instance.upgrading
        drift["backup"] += state.backup != instance.backup
    drift["removed names"] = len(still_in_redis(group))
    return {kind: count for kind, count in drift.items() if count}
