"""Shared parts of the services: rights, marks of unsent changes, Redis after the commit."""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar, cast

from django.conf import settings
from django.utils.translation import gettext as _

from numbers import pool as commands
from numbers.errors import NumbersError
from numbers.models import Pool, Switch, SwitchKind, UnsentChange
from numbers.pool.settings import AddedByScript
from poolsite.hotpath import rows

I = TypeVar("I")  # noqa: E741  item

# The columns of a number that is not quarantined.
NOT_QUARANTINED: Final[Mapping[str, Any]] = {
    "quarantined_at": None,
    "quarantined_by": "",
    "quarantined_reason": "",
    "quarantined_until": None,
}
KIND: Final = "numbers.pool"  # of the history
CHUNK = 1_000  # rows of one SQL statement and of one script call
# The reasons of quarantines in Redis while numbers leave a pool. SQL does not store these.
MOVING: Final = "moving to "  # the new pool follows
MERGING: Final = "merging"


def settings_of(pool: Pool) -> commands.PoolSettings:
    """A pool's settings as its scripts expect them."""
    return commands.PoolSettings(
        lease_seconds=pool.lease_seconds,
        suspect_seconds=pool.suspect_seconds,
        switch_interval_seconds=pool.switch_interval_seconds,
        cooldown_seconds=pool.cooldown_seconds,
        restart_rest_seconds=pool.restart_rest_seconds,
        daily_cap=pool.daily_cap,
        sticky_seconds=pool.sticky_seconds,
        near=pool.near,
        callback_window_seconds=pool.callback_window_seconds,
        waiters_limit=pool.waiters_limit,
        charged=pool.charged,
        log_limit=pool.log_limit,
        zone=zone_of(pool),
        added_by_script=cast("AddedByScript", str(pool.added_by_script)),
        media=media_of(pool),
    )


def media_of(pool: Pool) -> tuple[str, ...]:
    """The names of the pool's switches whose restart ends their calls."""
    media = Switch.objects.filter(pool_id=pool.pk, kind=SwitchKind.MEDIA)
    return tuple(sorted(media.values_list("name", flat=True)))


def zone_of(pool: Pool) -> str:
    """The time zone whose midnight resets the daily cap."""
    return pool.account.zone if pool.account is not None else str(settings.PLATFORM_ZONE)


def send_after_commit(pool: Pool, send: Callable[[], object]) -> None:
    """Mark the pool, and send its change to Redis after the current transaction is committed.

    If the mark stays, the sweep finds it and updates Redis from SQL.
    """
    mark = UnsentChange.objects.create(pool=pool)
    rows.send_after_commit(pool.tag, mark, send, commands.PoolRefusedError)


def lock_living(pool: Pool) -> None:
    """Lock the pool's row, so that it is not deleted before the current transaction ends.

    A deleted pool must get no numbers: nothing would free them. Raise NumbersError if it was.
    """
    if Pool.objects.select_for_update(no_key=True).filter(pk=pool.pk).first() is None:
        raise NumbersError("unknown-pool", _("The pool was deleted."))


@contextlib.contextmanager
def redis_refusals() -> Iterator[None]:
    """Turn the pool's own refusals into NumbersError."""
    try:
        yield
    except commands.PoolRefusedError as error:
        raise NumbersError(_kind_of(error.reason), error.reason) from error


def _kind_of(reason: str) -> str:
    if reason == commands.reasons.NO_SUCH_POOL:
        return "unavailable"
    return "recovering" if reason == commands.reasons.RECOVERING else "not-allowed"


def check(outcome: commands.EventOutcome) -> commands.EventOutcome:
    """Return the outcome. Raise PoolRefusedError if it is a refusal."""
    if not outcome.ok:
        raise commands.PoolRefusedError(outcome.reason)
    return outcome


def chunks(items: Sequence[I], size: int = CHUNK) -> Iterator[Sequence[I]]:
    """Yield the items, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def is_leaving(reason: str) -> bool:
    """Whether a quarantine lasts only until its number has left the pool."""
    return reason == MERGING or reason.startswith(MOVING)


def summary(values: Sequence[str]) -> dict[str, object]:
    """The audit log's form of many numbers: the list, or its length, first and last number."""
    if len(values) <= 20:
        return {"numbers": list(values)}
    return {"count": len(values), "first": min(values), "last": max(values)}
