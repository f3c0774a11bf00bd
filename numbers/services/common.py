"""What every service here does alike: rights, marks of unsent changes, Redis after commit."""

import contextlib
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from django.conf import settings
from django.db import transaction
from redis.exceptions import RedisError

from numbers import pool as door
from numbers.errors import NumbersError
from numbers.models import Pool, UnsentChange
from poolsite import access, hotpath
from poolsite.access.models import User
from poolsite.access.services.actor import Actor

T = TypeVar("T")
I = TypeVar("I")  # noqa: E741  item
logger = logging.getLogger(__name__)

CHUNK = 1_000  # rows of one SQL statement and of one script call
REASON_LENGTH = 200


def require(actor: Actor, action: str, thing: object | None = None) -> None:
    """Raise the refusal unless the actor may; a part of the system (text) may do everything."""
    if isinstance(actor, str):
        return
    principal = access.principal_of_user(actor) if isinstance(actor, User) else actor
    access.require(principal, action, thing)


def name_of(actor: Actor) -> str:
    """The actor's name as pages show it."""
    if isinstance(actor, str):
        return actor
    return (actor.get_username() if isinstance(actor, User) else actor.name)[:150]


def clean_reason(reason: str, *, needed: bool = False) -> str:
    """One line of at most 200 characters. NumbersError when it is needed and missing."""
    cleaned = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    cleaned = cleaned.encode()[:REASON_LENGTH].decode(errors="ignore")
    if needed and not cleaned:
        raise NumbersError("malformed", "a reason is needed")
    return cleaned


def settings_of(pool: Pool) -> door.PoolSettings:
    """A pool's settings as its scripts take them."""
    return door.PoolSettings(
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
    )


def zone_of(pool: Pool) -> str:
    """The zone whose midnight begins a new day of the cap."""
    return pool.account.zone if pool.account is not None else str(settings.PLATFORM_ZONE)


def send_after_commit(pool: Pool, send: Callable[[], object]) -> None:
    """Mark the pool, and once the transaction is committed send its change to Redis.

    Called inside the transaction of the change. When Redis is away, or this process dies
    before it has sent, the mark stays and the sweep brings Redis to what SQL says.
    """
    mark = UnsentChange.objects.create(pool=pool)
    transaction.on_commit(partial(_send, mark, send))


def _send(mark: UnsentChange, send: Callable[[], object]) -> None:
    try:
        send()
    except (hotpath.HotPathError, RedisError, door.PoolRefusedError) as error:
        logger.warning("numbers: a change of pool %s waits for Redis: %s", mark.pool_id, error)
        return
    mark.delete()


@contextlib.contextmanager
def redis_refusals() -> Iterator[None]:
    """Turn a pool's own refusal into the words of the interface."""
    try:
        yield
    except door.PoolRefusedError as error:
        raise NumbersError(_kind_of(error.reason), error.reason) from error


def _kind_of(reason: str) -> str:
    if reason == door.reasons.NO_SUCH_POOL:
        return "unavailable"
    return "recovering" if reason == door.reasons.RECOVERING else "not-allowed"


def check(outcome: door.Outcome) -> door.Outcome:
    """The outcome, or its refusal as PoolRefusedError."""
    if not outcome.ok:
        raise door.PoolRefusedError(outcome.reason)
    return outcome


def chunks(items: Sequence[I], size: int = CHUNK) -> Iterator[Sequence[I]]:
    """The items, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def summary(values: Sequence[str]) -> dict[str, object]:
    """What the audit log keeps of many numbers: how many, and the first and last of them."""
    if len(values) <= 20:
        return {"numbers": list(values)}
    return {"count": len(values), "first": min(values), "last": max(values)}
