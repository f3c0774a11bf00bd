"""Use cases of a whole pool: create, change, pause, open, delete."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import Number, NumberTag, Pool, UnconfirmedNumber, UnsentChange
from numbers.services.common import CHUNK, check, redis_refusals, send_after_commit, settings_of
from numbers.services.homes import change_home
from numbers.services.scanning import refresh_numbers
from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.services.actor import Actor
from poolsite.access.services.aggregates import Act
from poolsite.aggregates.services.lives import PausableLife
from poolsite.hotpath.rows import as_stored

SETTINGS = (
    "name",
    "description",
    "lease_seconds",
    "suspect_seconds",
    "switch_interval_seconds",
    "cooldown_seconds",
    "restart_rest_seconds",
    "daily_cap",
    "sticky_seconds",
    "near",
    "callback_window_seconds",
    "home_country",
    "number_spelling",
    "waiters_limit",
    "charged",
    "charge_interval_seconds",
    "added_by_script",
    "log_limit",
    "blocking_alarm_percent",
    "occupancy_alarm_percent",
    "short_call_seconds",
)


def pool_create(
    *,
    actor: Actor,
    slug: str,
    name: str = "",
    account: Account | None = None,
    reason: str = "",
    **settings: Any,
) -> Pool:
    """Create a pool, in SQL and then in Redis. Raise ValidationError for a bad field.

    A slug that a pool has or had is refused, because years of history contain it.
    """
    act = Act(actor, "numbers.pool_create", reason)
    return LIFE.create(act, slug=slug, name=name, account=account, settings=settings)


def pool_configure(*, actor: Actor, pool: Pool, reason: str = "", **changes: Any) -> Pool:
    """Change settings, in SQL and then in Redis. They take effect with the next event."""

    def prepare(pool: Pool) -> None:
        if "home_country" in changes:
            _change_home(pool, changes["home_country"])

    return LIFE.configure(pool, Act(actor, "numbers.pool_configure", reason), changes, prepare)


def pool_pause(*, actor: Actor, pool: Pool, reason: str) -> Pool:
    """Answer every `call` with "paused" until resumed. Calls in progress continue."""
    return LIFE.pause(pool, Act(actor, "numbers.pool_pause", reason))


def pool_resume(*, actor: Actor, pool: Pool, reason: str = "") -> Pool:
    """Accept calls again."""
    return LIFE.resume(pool, Act(actor, "numbers.pool_resume", reason))


def pool_open_early(*, actor: Actor, pool: Pool, reason: str) -> Pool:
    """Open a recovering pool before its switches have reported. Raise the runner's errors.

    Numbers whose calls were not reported again can then be lent a second time, so a reason is
    required.
    """
    return LIFE.open_early(pool, Act(actor, "numbers.pool_open_early", reason))


def pool_delete(*, actor: Actor, pool: Pool, reason: str) -> None:
    """Delete a pool with its numbers. Its history stays, and its slug is not used again.

    Raise NumbersError while the pool has calls. Redis is closed first, so that no call begins
    meanwhile.
    """
    LIFE.delete(pool, Act(actor, "numbers.pool_delete", reason))


def _close_for_good(pool: Pool, reason: str) -> None:
    """Pause in Redis, then check that no call is in progress. A pool that Redis lost has none."""
    paused = hotpath.run(commands.pause(pool.slug, reason))
    if paused.reason == commands.reasons.NO_SUCH_POOL:
        return
    with redis_refusals():
        check(paused)
    figures = hotpath.run(commands.show(pool.slug))
    if figures is None:
        return
    running = figures.busy_up + figures.busy_down + figures.old_calls
    if running:
        if pool.paused_at is None:
            hotpath.run(commands.resume(pool.slug, "not deleted"))
        text = ngettext(
            "%(n)s call is in progress in this pool. End it first.",
            "%(n)s calls are in progress in this pool. End them first.",
            running,
        )
        raise NumbersError("not-allowed", text % {"n": running})


def destroy_in_redis(pool: Pool) -> None:
    """Remove a deleted pool's data, and its numbers from SQL."""
    hotpath.run(commands.destroy(pool.slug, pool.generation))
    while True:
        with transaction.atomic():
            keys = list(Number.objects.filter(pool=pool).values_list("pk", flat=True)[:CHUNK])
            NumberTag.objects.filter(number_id__in=keys).delete()
            Number.objects.filter(pk__in=keys).delete()
        if len(keys) < CHUNK:
            break
    UnsentChange.objects.filter(pool=pool).delete()
    UnconfirmedNumber.objects.filter(pool=pool).delete()


# -- writing to Redis -----------------------------------------------------------------------------


def create_in_redis(pool: Pool) -> None:
    """Create the data of the pool's current generation. Harmless if it exists."""
    paused = pool.paused_at is not None
    check(
        hotpath.run(commands.create(pool.slug, pool.generation, settings_of(pool), paused=paused))
    )


def apply_settings(pool: Pool) -> None:
    """Write settings and the coming midnights to Redis."""
    with as_stored(Pool.all_objects, pool) as now:
        outcome = check(hotpath.run(commands.configure(now.slug, settings_of(now))))
    if outcome.reason == "refresh":
        refresh_numbers(pool)


def apply_pause(pool: Pool) -> None:
    """Pause or resume in Redis according to SQL. A recovering pool applies it when it opens."""
    with as_stored(Pool.all_objects, pool) as now:
        if now.paused_at is not None:
            outcome = hotpath.run(commands.pause(now.slug, now.paused_reason))
        else:
            outcome = hotpath.run(commands.resume(now.slug))
    if outcome.reason != commands.reasons.RECOVERING:
        check(outcome)


def _change_home(pool: Pool, home_country: str) -> None:
    pool._meta.get_field("home_country").clean(home_country, pool)
    try:
        change_home(pool, home_country)
    except NumbersError as error:
        raise ValidationError({"home_country": error.detail}) from None


def _open_now(pool: Pool, reason: str) -> bool:
    with redis_refusals():
        outcome = check(
            hotpath.run(commands.open_now(pool.slug, reason, paused=pool.paused_at is not None))
        )
    return outcome.reason == commands.reasons.REPEAT


_TAKEN = _("This short name is or was used by another pool. Choose a different one.")

LIFE = PausableLife(
    model=Pool,
    settings=SETTINGS,
    may_create="numbers.create",
    may_change="numbers.operate",
    taken=_TAKEN,
    raced={"slug": _TAKEN},
    settings_of=settings_of,
    begin=create_in_redis,
    apply=lambda pool, _changed: apply_settings(pool),
    after_commit=send_after_commit,
    close=_close_for_good,
    told=lambda pool: {"numbers": Number.objects.filter(pool=pool).count()},
    forget=lambda pool: send_after_commit(pool, lambda: destroy_in_redis(pool)),
    apply_pause=apply_pause,
    open_now=_open_now,
)
