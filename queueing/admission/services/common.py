"""What every service here does alike: rights, marks of unsent changes, Redis after commit."""

import contextlib
import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial

from django.db import transaction
from django.utils import timezone
from redis.exceptions import RedisError

from poolsite import access, hotpath
from poolsite.access.models import User
from poolsite.access.services.actor import Actor
from queueing.admission import gate as door
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, UnsentChange

logger = logging.getLogger(__name__)

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
    """One line of at most 200 bytes. AdmissionError when it is needed and missing."""
    cleaned = " ".join("".join(c if c.isprintable() else " " for c in reason).split())
    cleaned = cleaned.encode()[:REASON_LENGTH].decode(errors="ignore")
    if needed and not cleaned:
        raise AdmissionError("malformed", "a reason is needed")
    return cleaned


def settings_of(gate: Gate) -> door.GateSettings:
    """A gate's settings as its scripts take them. A pinned cap stands still."""
    pinned = gate.pinned_cap is not None
    return door.GateSettings(
        cap=gate.pinned_cap or gate.cap,
        permit_seconds=gate.permit_seconds,
        margin_seconds=gate.margin_seconds,
        longest_seconds=gate.longest_seconds,
        attempts=gate.attempts,
        period_seconds=gate.period_seconds,
        fair=gate.fair,
        look_ahead=gate.look_ahead,
        rate_per_second=gate.rate_per_second,
        adaptive=gate.adaptive and not pinned,
        adaptive_min=gate.adaptive_min,
        adaptive_max=gate.adaptive_max,
        adaptive_step=gate.adaptive_step,
        adaptive_down_percent=gate.adaptive_down_percent,
        adaptive_error_percent=gate.adaptive_error_percent,
        adaptive_latency_ms=gate.adaptive_latency_ms,
        adaptive_interval_seconds=gate.adaptive_interval_seconds,
        log_limit=gate.log_limit,
    )


def send_after_commit(gate: Gate, send: Callable[[], object]) -> None:
    """Mark the gate, and once the transaction is committed send its change to Redis.

    Called inside the transaction of the change. When Redis is away, or this process dies
    before it has sent, the mark stays and the watch brings Redis to what SQL says.
    """
    mark = UnsentChange.objects.create(gate=gate)
    transaction.on_commit(partial(_send, mark, send))


def _send(mark: UnsentChange, send: Callable[[], object]) -> None:
    try:
        send()
    except (hotpath.HotPathError, RedisError) as error:
        logger.warning("admission: a change of gate %s waits for Redis: %s", mark.gate_id, error)
        return
    mark.delete()


@contextlib.contextmanager
def redis_refusals() -> Iterator[None]:
    """Turn a gate's own refusal into the words of the interface."""
    try:
        yield
    except door.GateRefusedError as error:
        raise AdmissionError(_kind_of(error.reason), error.reason) from error


def _kind_of(reason: str) -> str:
    if reason == door.reasons.NO_SUCH_GATE:
        return "unavailable"
    return "gate-recovering" if reason == door.reasons.RECOVERING else "gate-refused"


def new_generation(*before: int) -> int:
    """A life of a gate's data in Redis: µs since 1970, later than every one before."""
    now_us = int(timezone.now().timestamp() * 1_000_000)
    return max(now_us, *(generation + 1 for generation in before), 1)


def at(us: int) -> datetime:
    """A moment in µs as Django keeps it."""
    return datetime.fromtimestamp(us // 1_000_000, UTC).replace(microsecond=us % 1_000_000)


def us_of(moment: datetime) -> int:
    """The same the other way."""
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond


def locked(gate: Gate) -> Gate:
    """The gate's row, locked until the transaction ends."""
    return Gate.objects.select_for_update(of=("self",)).select_related("account").get(pk=gate.pk)
