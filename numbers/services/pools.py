"""Use cases of a whole pool: made, set, paused, opened, deleted."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from numbers import pool as door
from numbers.errors import NumbersError
from numbers.models import Number, NumberTag, Pool, UnconfirmedNumber, UnsentChange
from numbers.services.common import CHUNK, check, redis_refusals, send_after_commit, settings_of
from numbers.services.homes import change_home
from numbers.services.scanning import refresh_numbers
from poolsite import hotpath
from poolsite.access.models import Account
from poolsite.access.models.tenants import refuse_reserved
from poolsite.access.services import aggregates
from poolsite.access.services.actor import Actor, clean_reason, require
from poolsite.access.services.aggregates import Act
from poolsite.hotpath import rows

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
    """Make a pool, in SQL and then in Redis. ValidationError when a field is bad.

    A slug that a pool has or had is refused: years of history name it.
    """
    require(actor, "numbers.create")
    act = Act(actor, "numbers.pool_create", clean_reason(reason))
    aggregates.require_known(settings, SETTINGS)
    pool = Pool(
        slug=slug,
        name=name.strip() or slug,
        account=account,
        generation=hotpath.generation_new(),
        **settings,
    )
    refuse_reserved(slug)
    _full_clean(pool)
    if Pool.all_objects.filter(slug=slug).exists():
        raise ValidationError(
            {"slug": _("This short name is or was used by another pool. Choose a different one.")}
        )
    try:
        with transaction.atomic():
            pool.save(force_insert=True)
            act.write(pool, None, {"slug": slug, "name": pool.name, **settings})
            send_after_commit(pool, lambda: create_in_redis(pool))
    except IntegrityError:
        raise ValidationError(
            {"slug": _("This short name is or was used by another pool. Choose a different one.")}
        ) from None
    return pool


def pool_configure(*, actor: Actor, pool: Pool, reason: str = "", **changes: Any) -> Pool:
    """Change settings, in SQL and then in Redis; they count from the next event on."""
    require(actor, "numbers.operate", pool)
    aggregates.require_known(changes, SETTINGS)
    act = Act(actor, "numbers.pool_configure", clean_reason(reason))
    with transaction.atomic():
        pool = _locked(pool)
        if "home_country" in changes:
            _change_home(pool, changes["home_country"])
        if aggregates.configure(pool, changes, _full_clean, act):
            send_after_commit(pool, lambda: apply_settings(pool))
    return pool


def pool_pause(*, actor: Actor, pool: Pool, reason: str) -> Pool:
    """Answer every `call` with "paused" until resumed; calls that run are not touched."""
    require(actor, "numbers.operate", pool)
    act = Act(actor, "numbers.pool_pause", clean_reason(reason, needed=True))
    with transaction.atomic():
        pool = _locked(pool)
        if aggregates.pause(pool, act):
            send_after_commit(pool, lambda: apply_pause(pool))
    return pool


def pool_resume(*, actor: Actor, pool: Pool, reason: str = "") -> Pool:
    """Let calls be placed again."""
    require(actor, "numbers.operate", pool)
    act = Act(actor, "numbers.pool_resume", clean_reason(reason))
    with transaction.atomic():
        pool = _locked(pool)
        if aggregates.resume(pool, act):
            send_after_commit(pool, lambda: apply_pause(pool))
    return pool


def pool_open_early(*, actor: Actor, pool: Pool, reason: str) -> Pool:
    """Open a recovering pool before its switches have reported. Raises the runner's errors.

    Numbers whose calls were not re-reported may then be lent a second time: hence the reason.
    """
    require(actor, "numbers.operate", pool)
    act = Act(actor, "numbers.pool_open_early", clean_reason(reason, needed=True))
    with redis_refusals():
        outcome = check(
            hotpath.run(door.open_now(pool.slug, act.reason, paused=pool.paused_at is not None))
        )
    with transaction.atomic():
        pool = _locked(pool)
        aggregates.open_early(pool, act, was_open=outcome.reason == door.reasons.REPEAT)
    return pool


def pool_delete(*, actor: Actor, pool: Pool, reason: str) -> None:
    """Delete a pool with its numbers. Its history stays; its slug is not given out again.

    NumbersError while it has calls. Redis is closed first, so that none begins meanwhile.
    """
    require(actor, "numbers.operate", pool)
    act = Act(actor, "numbers.pool_delete", clean_reason(reason, needed=True))
    _close_for_good(pool, act.reason)
    with transaction.atomic():
        pool = _locked(pool)
        aggregates.delete(pool, act, numbers=Number.objects.filter(pool=pool).count())
        transaction.on_commit(lambda: _forget(pool))


def _close_for_good(pool: Pool, reason: str) -> None:
    """Pause in Redis, then make sure that no call runs; a pool that Redis lost has none."""
    paused = hotpath.run(door.pause(pool.slug, reason))
    if paused.reason == door.reasons.NO_SUCH_POOL:
        return
    with redis_refusals():
        check(paused)
    figures = hotpath.run(door.show(pool.slug))
    if figures is None:
        return
    running = figures.busy_up + figures.busy_down + figures.old_calls
    if running:
        if pool.paused_at is None:
            hotpath.run(door.resume(pool.slug, "not deleted"))
        text = ngettext(
            "%(n)s call is in progress in this pool. End it first.",
            "%(n)s calls are in progress in this pool. End them first.",
            running,
        )
        raise NumbersError("not-allowed", text % {"n": running})


def _forget(pool: Pool) -> None:
    """Remove a deleted pool's numbers and data; the sweep repeats what is left undone."""
    hotpath.run(door.destroy(pool.slug, pool.generation))
    while True:
        with transaction.atomic():
            keys = list(Number.objects.filter(pool=pool).values_list("pk", flat=True)[:CHUNK])
            NumberTag.objects.filter(number_id__in=keys).delete()
            Number.objects.filter(pk__in=keys).delete()
        if len(keys) < CHUNK:
            break
    UnsentChange.objects.filter(pool=pool).delete()
    UnconfirmedNumber.objects.filter(pool=pool).delete()


# -- what Redis is told ---------------------------------------------------------------------------


def create_in_redis(pool: Pool) -> None:
    """Make the pool's data of its present generation; harmless when it is there."""
    paused = pool.paused_at is not None
    check(hotpath.run(door.create(pool.slug, pool.generation, settings_of(pool), paused=paused)))


def apply_settings(pool: Pool) -> None:
    """Write settings and the coming midnights to Redis."""
    outcome = check(hotpath.run(door.configure(pool.slug, settings_of(pool))))
    if outcome.reason == "refresh":
        refresh_numbers(pool)


def apply_pause(pool: Pool) -> None:
    """Pause or resume in Redis as SQL says. A recovering pool learns it when it opens."""
    if pool.paused_at is not None:
        outcome = hotpath.run(door.pause(pool.slug, pool.paused_reason))
    else:
        outcome = hotpath.run(door.resume(pool.slug))
    if outcome.reason != door.reasons.RECOVERING:
        check(outcome)


def _locked(pool: Pool) -> Pool:
    return rows.locked(Pool.objects, pool)


def _change_home(pool: Pool, home_country: str) -> None:
    pool._meta.get_field("home_country").clean(home_country, pool)
    try:
        change_home(pool, home_country)
    except NumbersError as error:
        raise ValidationError({"home_country": error.detail}) from None


def _full_clean(pool: Pool) -> None:
    pool.full_clean(validate_unique=False)
    try:
        settings_of(pool).columns()
    except ValueError as error:
        raise ValidationError(str(error)) from None
