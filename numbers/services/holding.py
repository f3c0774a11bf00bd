"""Actions of operators: quarantine, release, hang up."""

from collections.abc import Sequence
from functools import partial

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers import webhook_events
from numbers.errors import NumbersError
from numbers.models import Number, Pool
from numbers.services.common import NOT_QUARANTINED, check, chunks, send_after_commit, summary
from numbers.services.hangups import tell_switches
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor, clean_reason, name_of, require


def numbers_quarantine(
    *,
    actor: Actor,
    pool: Pool,
    values: Sequence[str],
    reason: str,
    job: str | None = None,
) -> int:
    """Quarantine numbers. Their calls and registrations stay. Return how many changed."""
    require(actor, "numbers.operate", pool)
    reason = clean_reason(reason, needed=True)
    changed = 0
    for chunk in chunks(values):
        with transaction.atomic():
            rows = Number.objects.filter(pool=pool, value__in=chunk, quarantined_at=None)
            found = list(rows.select_for_update().values_list("value", flat=True))
            rows.update(
                quarantined_at=timezone.now(),
                quarantined_by=name_of(actor),
                quarantined_reason=reason,
                quarantined_until=None,
            )
            changed += len(found)
            if found:
                send_after_commit(pool, partial(hold_in_redis, pool, found, reason))
                webhook_events.tell(
                    webhook_events.QUARANTINED, pool, found, reason=reason, by=name_of(actor)
                )
                _audit_hold(actor, pool, "numbers.number_quarantine", found, reason, job)
    return changed


def numbers_release(
    *,
    actor: Actor,
    pool: Pool,
    values: Sequence[str],
    reason: str = "",
    job: str | None = None,
) -> int:
    """End the quarantine of numbers. Return how many changed.

    A duplicate stays quarantined until it is merged or removed (services.twins): otherwise its line
    would be lent twice.
    """
    require(actor, "numbers.operate", pool)
    reason = clean_reason(reason)
    changed = 0
    for chunk in chunks(values):
        with transaction.atomic():
            rows = Number.objects.filter(
                pool=pool, value__in=chunk, quarantined_at__isnull=False, twin_of=None
            )
            found = list(rows.select_for_update().values_list("value", flat=True))
            rows.update(**NOT_QUARANTINED)
            changed += len(found)
            if found:
                send_after_commit(pool, partial(let_go_in_redis, pool, found, reason))
                webhook_events.tell(
                    webhook_events.RELEASED, pool, found, reason=reason, by=name_of(actor)
                )
                _audit_hold(actor, pool, "numbers.number_release", found, reason, job)
    return changed


def number_quarantine(*, actor: Actor, number: Number, reason: str) -> Number:
    """Quarantine one number."""
    numbers_quarantine(actor=actor, pool=number.pool, values=[number.value], reason=reason)
    number.refresh_from_db()
    return number


def number_release(*, actor: Actor, number: Number, reason: str = "") -> Number:
    """End the quarantine of one number. Raise NumbersError for a duplicate: merge the two first."""
    if number.twin_of is not None:
        text = _("%(number)s is the same line as %(other)s. Merge them first.")
        place = {"number": number.value, "other": number.twin_of.value}
        raise NumbersError("not-allowed", text % place)
    numbers_release(actor=actor, pool=number.pool, values=[number.value], reason=reason)
    number.refresh_from_db()
    return number


def hold_in_redis(pool: Pool, values: Sequence[str], reason: str) -> None:
    """Quarantine numbers in Redis."""
    for chunk in chunks(values, commands.ROWS_LIMIT):
        _all_known(hotpath.run(commands.quarantine(pool.slug, chunk, reason)))


def let_go_in_redis(pool: Pool, values: Sequence[str], reason: str) -> None:
    """End the quarantine of numbers in Redis."""
    for chunk in chunks(values, commands.ROWS_LIMIT):
        _all_known(hotpath.run(commands.unquarantine(pool.slug, chunk, reason)))


def _all_known(outcomes: Sequence[commands.EventOutcome]) -> None:
    for outcome in outcomes:
        if outcome.code == commands.ERROR:
            check(outcome)


def _audit_hold(
    actor: Actor, pool: Pool, action: str, values: list[str], reason: str, job: str | None
) -> None:
    access.audit(
        actor=actor, action=action, thing=pool, after=summary(values), reason=reason, job=job
    )


def numbers_force_hangup(
    *,
    actor: Actor,
    pool: Pool,
    values: Sequence[str],
    reason: str,
    call_id: str = "",
    job: str | None = None,
) -> dict[str, commands.Forced]:
    """End the calls of numbers now, and notify their switches to hang up.

    The audit entry is written first, so that none is lost. Raise the runner's errors.
    """
    require(actor, "numbers.operate", pool)
    reason = clean_reason(reason, needed=True)
    with transaction.atomic():
        access.audit(
            actor=actor,
            action="numbers.number_force_hangup",
            thing=pool,
            after=summary(list(values)) | ({"call_id": call_id} if call_id else {}),
            reason=reason,
            job=job,
        )
    done: dict[str, commands.Forced] = {}
    for chunk in chunks(values):
        to_run = [
            commands.force_hangup(pool.slug, value, reason, call_id=call_id) for value in chunk
        ]
        done |= {forced.number: forced for forced in hotpath.run_all(to_run)}
    ended = [forced for forced in done.values() if forced.code == commands.OK]
    tell_switches(pool.slug, ended, reason)
    return done


def number_force_hangup(
    *, actor: Actor, number: Number, reason: str, call_id: str = ""
) -> commands.Forced:
    """End one number's call now. Raise NumbersError if it is not in a call."""
    done = numbers_force_hangup(
        actor=actor, pool=number.pool, values=[number.value], reason=reason, call_id=call_id
    )
    forced = done.get(number.value)
    if forced is None or forced.code != commands.OK:
        told = forced.reason if forced is not None else commands.reasons.NOT_IN_A_CALL
        raise NumbersError("not-allowed", told)
    return forced
