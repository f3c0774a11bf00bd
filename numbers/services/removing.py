"""Removes numbers from a pool: deletes them, or moves them to another pool."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from django.db import transaction
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import Number, NumberTag, Pool
from numbers.services.adding import load_numbers
from numbers.services.common import (
    NOT_QUARANTINED,
    check,
    chunks,
    redis_refusals,
    send_after_commit,
    summary,
)
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, clean_reason, require

MOVING: Final = "moving to "  # how the reason of a move's own quarantine begins


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
    deleted: list[str] = []
    for chunk in chunks(values):
        with transaction.atomic():
            rows = Number.objects.filter(pool=pool, value__in=chunk)
            found = dict(rows.values_list("value", "pk"))
            NumberTag.objects.filter(number_id__in=found.values()).delete()
            Number.objects.filter(pk__in=found.values()).delete()
            deleted += found
            if found:
                send_after_commit(pool, partial(remove_numbers, pool, list(found)))
    if deleted:
        with transaction.atomic():
            access.audit(
                actor=actor,
                action="numbers.number_delete",
                thing=pool,
                before=summary(deleted),
                reason=clean_reason(reason),
                job=job,
            )
    return len(deleted)


def number_delete(*, actor: Actor, number: Number, reason: str = "") -> None:
    """Delete one number. A call in progress continues until its hangup."""
    numbers_delete(actor=actor, pool=number.pool, values=[number.value], reason=reason)


def remove_numbers(pool: Pool, values: Sequence[str]) -> None:
    """Delete numbers in Redis."""
    events = [commands.Event.of("del", number=value) for value in values]
    to_run = [commands.events(pool.slug, chunk) for chunk in chunks(events, commands.BATCH_LIMIT)]
    for outcomes in hotpath.run_all(to_run):
        for outcome in outcomes:
            check(outcome)


def numbers_move(
    *, actor: Actor, numbers: Sequence[Number], pool: Pool, reason: str = "", job: str | None = None
) -> Mapping[str, str]:
    """Move numbers to another pool. Return those that stay, each with the reason.

    A number in a call stays, because it would be free in the new pool during its call in the old
    one. Numbers are quarantined in the old pool first, so that no call begins during the move.
    """
    require(actor, "numbers.operate", pool)
    stay: dict[str, str] = {}
    moved: list[str] = []
    by_source: dict[int, list[Number]] = {}
    for number in numbers:
        by_source.setdefault(number.pool_id, []).append(number)
    for rows in by_source.values():
        source = rows[0].pool
        require(actor, "numbers.operate", source)
        if source.pk == pool.pk:
            stay |= {row.value: "in this pool already" for row in rows}
            continue
        for chunk in chunks(rows):
            moved += _move(source, pool, chunk, stay)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="numbers.number_move",
            thing=pool,
            after=summary(moved) | {"stayed": len(stay)},
            reason=clean_reason(reason),
            job=job,
        )
    return stay


def _move(source: Pool, target: Pool, rows: Sequence[Number], stay: dict[str, str]) -> list[str]:
    held = {row.value for row in rows if _is_held(row)}
    free = [row.value for row in rows if row.value not in held]
    try:
        busy = set(_set_aside(source, target, [row.value for row in rows]))
        back = [value for value in free if value in busy]
        if back:
            hotpath.run(commands.unquarantine(source.slug, back, "not moved: in a call"))
        going = [row for row in rows if row.value not in busy]
        _write_move(source, target, going, held)
    except Exception:
        with suppress(Exception):  # the first error counts
            _put_back(source, free)
        raise
    stay |= dict.fromkeys(busy, "in a call")
    return [row.value for row in going]


def _is_held(row: Number) -> bool:
    """Whether an operator or a rule quarantined the number, rather than a move that was cut off."""
    by_move = not row.quarantined_by and row.quarantined_reason.startswith(MOVING)
    return row.quarantined_at is not None and not by_move


def _put_back(source: Pool, values: Sequence[str]) -> None:
    """End the move's quarantine of the numbers that SQL still has in the old pool.

    The move may have been committed. A number that has left must not be picked here again.
    """
    rows = Number.objects.filter(pool=source, value__in=values)
    if stayed := list(rows.values_list("value", flat=True)):
        hotpath.run(commands.unquarantine(source.slug, stayed, "not moved"))


def _set_aside(source: Pool, target: Pool, values: Sequence[str]) -> list[str]:
    """Quarantine the numbers in the old pool. Return those that are in a call."""
    with redis_refusals():
        reason = f"{MOVING}{target.slug}"
        for outcome in hotpath.run(commands.quarantine(source.slug, values, reason)):
            if outcome.code == commands.ERROR:
                check(outcome)
    return in_call(source, values)


def _write_move(source: Pool, target: Pool, going: Sequence[Number], held: set[str]) -> None:
    keys = [row.pk for row in going]
    with transaction.atomic():
        Number.objects.filter(pk__in=keys).update(pool=target)
        # The drain may have stored the quarantine of this move, or of one that was cut off.
        free = [row for row in going if row.value not in held]
        Number.objects.filter(pk__in=[row.pk for row in free]).update(**NOT_QUARANTINED)
        for row in free:
            vars(row).update(NOT_QUARANTINED)  # in memory, because these rows go to Redis
        NumberTag.objects.filter(number_id__in=keys).update(pool=target)
        gone = [row.value for row in going]
        send_after_commit(source, partial(remove_numbers, source, gone))
        send_after_commit(target, partial(load_numbers, target, going))


def in_call(source: Pool, values: Sequence[str]) -> list[str]:
    """Numbers that are in a call, or whose deleted predecessor still is."""
    found = hotpath.run(commands.states(source.slug, values))
    if found is None:
        raise NumbersError(
            "unavailable", _("The data of %(pool)s is being rebuilt.") % {"pool": source.slug}
        )
    return [value for value, state in found.by_number.items() if state.busy or "x" in state.held]
