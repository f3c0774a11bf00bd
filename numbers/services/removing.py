"""Removes numbers from a pool: deletes them, or moves them to another pool."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from django.db import transaction
from django.utils.translation import gettext as _
from redis.exceptions import RedisError

from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import HealthAction, Number, NumberTag, Pool, UnsentChange
from numbers.services.common import (
    KIND,
    MOVING,
    check,
    chunks,
    lock_living,
    redis_refusals,
    send_after_commit,
    summary,
)
from numbers.services.confirming import load_when_free
from poolsite import access, history, hotpath
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act


def numbers_delete(
    *,
    actor: Actor,
    pool: Pool,
    values: Sequence[str],
    reason: str = "",
    job: str | None = None,
) -> int:
    """Delete numbers. Calls in progress continue until their hangup. Return the count."""
    require(actor, "numbers.operate", pool)
    deleted = 0
    for chunk in chunks(values):
        with transaction.atomic():
            rows = Number.objects.select_for_update().filter(pool=pool, value__in=chunk)
            found = dict(rows.values_list("value", "pk"))
            if not found:
                continue
            NumberTag.objects.filter(number_id__in=found.values()).delete()
            Number.objects.filter(pk__in=found.values()).delete()
            access.audit(
                actor=actor,
                action="numbers.number_delete",
                thing=pool,
                before=summary(list(found)),
                reason=clean_reason(reason),
                job=job,
            )
            send_after_commit(pool, partial(remove_numbers, pool, list(found)))
            deleted += len(found)
    return deleted


def number_delete(*, actor: Actor, number: Number, reason: str = "") -> None:
    """Delete one number. A call in progress continues until its hangup."""
    numbers_delete(actor=actor, pool=number.pool, values=[number.value], reason=reason)


def remove_numbers(pool: Pool, values: Sequence[str]) -> None:
    """Delete numbers in Redis. Afterwards SQL knows their calls (see owners.calls_of_others)."""
    events = [
        commands.Event.of("del", number=value, reason=commands.DELETED_IN_SQL) for value in values
    ]
    to_run = [commands.events(pool.slug, chunk) for chunk in chunks(events, commands.BATCH_LIMIT)]
    for outcomes in hotpath.run_all(to_run):
        for outcome in outcomes:
            check(outcome)
    figures = hotpath.run(commands.show(pool.slug)) if values else None
    if figures is not None and figures.old_calls:
        history.catch_up(KIND, history.Aggregate(pool.tag, pool.pk))


def numbers_move(
    *, actor: Actor, numbers: Sequence[Number], pool: Pool, reason: str = "", job: str | None = None
) -> Mapping[str, str]:
    """Move numbers to another pool. Return those that stay, each with the reason.

    A number in a call stays, because it would be free in the new pool during its call in the old
    one. Numbers are quarantined in the old pool first, so that no call picks them during the move.
    A call to a number may still begin: the new pool then gets the number after that call.
    """
    require(actor, "numbers.operate", pool)
    act = Act(actor, "numbers.number_move", clean_reason(reason))
    stay: dict[str, str] = {}
    by_source: dict[int, list[Number]] = {}
    for number in numbers:
        by_source.setdefault(number.pool_id, []).append(number)
    for rows in by_source.values():
        source = rows[0].pool
        require(actor, "numbers.operate", source)
        if source.pk == pool.pk:
            stay |= {row.value: "in this pool already" for row in rows}
            continue
        for chunk in chunks([row.value for row in rows]):
            with leaving(source, chunk, f"{MOVING}{pool.slug}") as busy:
                free = [value for value in chunk if value not in busy]
                moved = _write_move(source, pool, free, act, job)
            stay |= dict.fromkeys(busy, "in a call")
            left = [value for value in free if value not in moved]
            stay |= dict.fromkeys(left, commands.reasons.UNKNOWN_NUMBER)
    return stay


@contextmanager
def leaving(pool: Pool, values: Sequence[str], reason: str) -> Iterator[set[str]]:
    """Quarantine numbers in Redis while they leave the pool. Yield those that are in a call.

    Those that SQL still has here afterwards are released. If Redis is unavailable then, or this
    process dies, the mark stays, and the sweep releases them.
    """
    mark = UnsentChange.objects.create(pool=pool)
    try:
        with redis_refusals():
            for outcome in hotpath.run(commands.quarantine(pool.slug, values, reason)):
                if outcome.code == commands.ERROR:
                    check(outcome)
        yield set(in_call(pool, values))
    finally:
        with suppress(hotpath.HotPathError, RedisError, commands.PoolRefusedError):
            _put_back(pool, values)
            mark.delete()


def _put_back(pool: Pool, values: Sequence[str]) -> None:
    rows = Number.objects.filter(pool=pool, value__in=values, quarantined_at=None)
    if stayed := list(rows.values_list("value", flat=True)):
        hotpath.run(commands.unquarantine(pool.slug, stayed, "stays in this pool"))


def _write_move(
    source: Pool, target: Pool, values: Sequence[str], act: Act, job: str | None
) -> set[str]:
    """Move those that are still in the old pool. Return them."""
    with transaction.atomic():
        lock_living(target)
        found = Number.objects.select_for_update().filter(pool=source, value__in=values)
        going = list(found)
        if not going:
            return set()
        keys, moved = [row.pk for row in going], [row.value for row in going]
        Number.objects.filter(pk__in=keys).update(pool=target)
        NumberTag.objects.filter(number_id__in=keys).update(pool=target)
        rests = HealthAction.objects.filter(pool=source, number__in=moved, returned_at=None)
        rests.update(pool=target)  # they end there
        access.audit(
            actor=act.actor,
            action=act.action,
            thing=target,
            after=summary(moved) | {"stayed": len(values) - len(moved)},
            reason=act.reason,
            job=job,
        )
        send_after_commit(source, partial(remove_numbers, source, moved))
        send_after_commit(target, partial(load_when_free, target, going))
    return set(moved)


def in_call(source: Pool, values: Sequence[str]) -> list[str]:
    """Numbers that are in a call, or whose deleted predecessor still is."""
    found = hotpath.run(commands.states(source.slug, values))
    if found is None or found.status == "recovering":  # its calls may not be reported yet
        raise NumbersError(
            "unavailable" if found is None else "recovering",
            _("The data of %(pool)s is being rebuilt.") % {"pool": source.slug},
        )
    return [value for value, state in found.by_number.items() if state.busy or "x" in state.held]
