"""What all services of the dispatcher share: marks of unsent changes, refusals, locks."""

import contextlib
from collections.abc import Callable, Iterator

from poolsite.hotpath import rows
from poolsite.moments import us_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.errors import DispatchError
from queueing.dispatch.models import Group, Instance, UnsentChange


def settings_of(group: Group) -> commands.GroupSettings:
    """Return a group's settings for its scripts."""
    return commands.GroupSettings(
        heartbeat_seconds=group.heartbeat_seconds,
        missed_limit=group.missed_limit,
        disconnect_seconds=group.disconnect_seconds,
        sharing=group.sharing,
        route_limit_seconds=group.route_limit_seconds,
        timed_route_seconds=group.timed_route_seconds,
        out_limit=group.out_limit,
        ends_limit=group.ends_limit,
        log_limit=group.log_limit,
        start_retries=group.start_retries,
        answer_seconds=group.answer_seconds,
        failure_threshold_percent=group.failure_threshold_percent,
        failure_minimum_sessions=group.failure_minimum_sessions,
        failure_window_seconds=group.failure_window_seconds,
        ejection_seconds=group.ejection_seconds,
        max_ejection_percent=group.max_ejection_percent,
        slow_start_seconds=group.slow_start_seconds,
    )


def name_state(instance: Instance) -> commands.NameState:
    """Return an instance's manual state for its scripts."""
    until = us_of(instance.manual_until) if instance.manual_until else None
    return commands.NameState(
        instance.name, instance.manual_state, instance.upgrading, until, instance.backup
    )


def name_states(group: Group) -> list[commands.NameState]:
    """Return every name of a group with its manual state, for a new generation of its data."""
    return [name_state(row) for row in Instance.objects.filter(group=group).order_by("name")]


def known_instance(group: Group, name: str) -> Instance:
    """Return the row of a name. Create it if it is missing, restore it if it was removed."""
    instance = Instance.all_objects.get_or_create(group=group, name=name)[0]
    if instance.forgotten_at is not None:
        instance.forgotten_at = None
        instance.save(update_fields=["forgotten_at"])
    return instance


def send_after_commit(group: Group, send: Callable[[], object]) -> None:
    """Mark the group as unsent, and send its change to Redis after the commit.

    If the mark remains, the watch brings Redis in line with SQL.
    """
    rows.send_after_commit(group.tag, UnsentChange.objects.create(group=group), send)


@contextlib.contextmanager
def redis_refusals() -> Iterator[None]:
    """Turn a group's own refusal into the API's problem."""
    try:
        yield
    except commands.DispatchRefusedError as error:
        raise DispatchError(kind_of(error.reason), error.reason) from error


def kind_of(reason: str) -> str:
    """Return the problem type of a group's refusal."""
    if reason == commands.reasons.NO_SUCH_GROUP:
        return "unavailable"  # it is in SQL: its data in Redis is being rebuilt
    if reason.startswith(commands.reasons.MALFORMED):
        return "malformed"
    if reason == commands.reasons.NO_SUCH_NAME:
        return "unknown-instance"
    return "group-refused"


def locked(group: Group) -> Group:
    """Return the group's row, locked until the transaction ends."""
    return rows.locked(Group.objects, group)
