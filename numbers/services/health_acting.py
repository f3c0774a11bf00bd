"""Applies health rules: numbers are rested or quarantined, and return, each once, in SQL first.

`HealthAction` stores what a rule took out. The number's quarantine has the same timestamp, so a
later quarantine by someone else is never mistaken for the rule's. All rules of a pool are locked
while one acts, so that two workers together respect the daily limit and the share of the pool.
"""

import logging
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from numbers import health_reasons, webhook_events
from numbers.errors import NumbersError
from numbers.models import HealthAction, HealthRule, Number, Pool, Window
from numbers.services import health_incidents
from numbers.services.common import NOT_QUARANTINED, chunks, send_after_commit, summary, zone_of
from numbers.services.health_judging import Judged, judged
from numbers.services.health_sliding import slide_pool
from numbers.services.holding import hold_in_redis, let_go_in_redis
from poolsite import access
from poolsite.access.services.actor import Actor, clean_reason, name_of, require

logger = logging.getLogger(__name__)

ACTOR = "numbers.health"
RETURNS_AT_ONCE = 1_000
TAKEN_AT_ONCE = 200  # per transaction; the next round continues
BY = "rule: {name}"


def health_tick(now: datetime | None = None) -> dict[str, int]:
    """Run one round over every pool: slide windows, end rests, evaluate rules.

    Idempotent, and safe to run twice at the same time. Everything is judged by `now`.
    """
    now = now or timezone.now()
    done = {"slid": 0, "returned": return_due(now), "released": note_releases(now), "applied": 0}
    for pool in Pool.objects.select_related("account").order_by("pk"):
        done["slid"] += slide_pool(pool, now)
    for rule in HealthRule.objects.filter(enabled=True, pool__deleted_at=None).order_by("pk"):
        done["applied"] += evaluate(rule, now)
    health_incidents.close_ended()
    return done


# -- applying rules -------------------------------------------------------------------------------


def evaluate(rule: HealthRule, now: datetime) -> int:
    """Apply a rule to its matching numbers. Return how many it took out."""
    if not judged(rule, now, 1):  # the usual case, without a lock
        health_incidents.report_limit(rule, short=False)
        return 0
    with transaction.atomic():
        locked = {
            each.pk: each
            for each in HealthRule.objects.select_for_update(of=("self",))
            .select_related("pool__account")
            .filter(pool_id=rule.pool_id)
            .order_by("pk")
        }
        fresh = locked.get(rule.pk)
        if fresh is None or not fresh.enabled:
            return 0
        room = _room(fresh, now)
        found = judged(fresh, now, min(room, TAKEN_AT_ONCE) + 1)
        taken = found[: min(room, TAKEN_AT_ONCE)]
        if taken:
            _apply(fresh, taken, now)
        short = len(found) > room
    if taken and fresh.notify:
        health_incidents.report_taken(fresh, taken)
    health_incidents.report_limit(fresh, short=short)
    return len(taken)


def _room(rule: HealthRule, now: datetime) -> int:
    """How many more numbers the rule may take out, by its daily limit and its share of the pool."""
    today = HealthAction.objects.filter(rule=rule, day=day_of(rule.pool, now)).count()
    held = HealthAction.objects.filter(pool=rule.pool, returned_at=None).count()
    numbers = Number.objects.filter(pool=rule.pool).count()
    at_once = int(numbers * rule.pool_percent / 100)
    return max(0, min(rule.daily_limit - today, at_once - held))


def day_of(pool: Pool, now: datetime) -> date:
    """The day in the pool's time zone, by which the daily limit counts."""
    return now.astimezone(ZoneInfo(zone_of(pool))).date()


def _apply(rule: HealthRule, found: Sequence[Judged], now: datetime) -> None:
    """Take the numbers out, within the caller's transaction. Redis follows after the commit."""
    until = None
    if rule.action == HealthRule.REST:
        until = now + timedelta(hours=rule.rest_hours)
    by = BY.format(name=rule.name)
    for each in found:
        reason = clean_reason(
            health_reasons.kept(
                rule.measure, each.value, each.calls, window=rule.window, rule=rule.name
            )
        )
        HealthAction.objects.create(
            pool=rule.pool,
            rule=rule,
            rule_name=rule.name,
            number=each.number,
            action=rule.action,
            reason=reason,
            measure=rule.measure,
            window=rule.window,
            value=each.value,
            calls=each.calls,
            day=day_of(rule.pool, now),
            at=now,
            until=until,
        )
        rows = Number.objects.filter(pool=rule.pool, value=each.number, quarantined_at=None)
        rows.update(
            quarantined_at=now,
            quarantined_by=by,
            quarantined_reason=reason,
            quarantined_until=until,
        )
        access.audit(
            actor=ACTOR,
            action="numbers.health_apply",
            thing=rule.pool,
            label=rule.pool.slug,
            after={
                "numbers": [each.number],
                "rule": rule.name,
                "why": reason,
                "until": until.isoformat() if until else None,
            },
            reason=reason,
        )
        webhook_events.tell(
            webhook_events.QUARANTINED, rule.pool, [each.number], reason=reason, by=by
        )
        send_after_commit(rule.pool, partial(hold_in_redis, rule.pool, [each.number], reason))


# -- returning numbers ----------------------------------------------------------------------------


def return_due(now: datetime) -> int:
    """End the rests whose time is over. Return how many. Running late is harmless."""
    rows = HealthAction.objects.filter(returned_at=None, until__lte=now)
    due = list(rows.order_by("until").select_related("pool__account")[:RETURNS_AT_ONCE])
    by_pool: dict[int, list[HealthAction]] = {}
    for action in due:
        by_pool.setdefault(action.pool_id, []).append(action)
    done = 0
    for actions in by_pool.values():
        pool = actions[0].pool
        for chunk in chunks(actions):
            with transaction.atomic():
                values = _take_back(pool, chunk, HealthAction.ENDED, ACTOR, now)
                if values:
                    access.audit(
                        actor=ACTOR,
                        action="numbers.health_return",
                        thing=pool,
                        after=summary(values),
                    )
            done += len(values)
    return done


def health_undo(
    *, actor: Actor, action: HealthAction, reason: str = "", now: datetime | None = None
) -> None:
    """Put a number back that a rule took out, and exempt it from that rule for the rule's window.

    Raise NumbersError if it has already returned.
    """
    pool = action.pool
    require(actor, "numbers.operate", pool)
    now = now or timezone.now()
    exempt = now + Window(action.window).length
    with transaction.atomic():
        taken = _take_back(pool, [action], HealthAction.UNDONE, actor, now, exempt_until=exempt)
        if not taken:
            raise NumbersError("not-allowed", _("This number is already back in use."))
        access.audit(
            actor=actor,
            action="numbers.health_undo",
            thing=pool,
            after={"numbers": taken, "rule": action.rule_name},
            reason=clean_reason(reason),
        )
    action.refresh_from_db()


def _take_back(
    pool: Pool,
    actions: Sequence[HealthAction],
    how: str,
    actor: Actor,
    now: datetime,
    *,
    exempt_until: datetime | None = None,
) -> list[str]:
    """Put the numbers of open actions back, within the caller's transaction. Return which.

    A number that someone else quarantined since, or that has left the pool, stays as it is.
    """
    open_rows = HealthAction.objects.select_for_update().filter(
        pk__in=[each.pk for each in actions], returned_at=None
    )
    at = {row.number: row.at for row in open_rows.order_by("pk")}
    rows = Number.objects.select_for_update().filter(pool=pool, value__in=sorted(at))
    values = [row.value for row in rows.order_by("value") if row.quarantined_at == at[row.value]]
    Number.objects.filter(pool=pool, value__in=values).update(**NOT_QUARANTINED)
    others = sorted(set(at) - set(values))
    mine = HealthAction.objects.filter(pool=pool, returned_at=None)
    mine.filter(number__in=values).update(
        returned_at=now, returned_how=how, returned_by=name_of(actor), exempt_until=exempt_until
    )
    mine.filter(number__in=others).update(returned_at=now, returned_how=HealthAction.RELEASED)
    if values:
        send_after_commit(pool, partial(let_go_in_redis, pool, values, ""))
        webhook_events.tell(webhook_events.RELEASED, pool, values, reason="", by=name_of(actor))
    return values


def note_releases(now: datetime) -> int:
    """Close the actions whose numbers were released, deleted or moved by others meanwhile."""
    held = Number.objects.filter(
        pool=OuterRef("pool"), value=OuterRef("number"), quarantined_at=OuterRef("at")
    )
    gone = HealthAction.objects.filter(~Exists(held), returned_at=None, at__lt=now)
    return gone.update(  # unaudited: who released the number is in the log already
        returned_at=now, returned_how=HealthAction.RELEASED
    )
