"""What all services of the gates share: settings, marks of unsent changes, refusals, locks."""

import contextlib
from collections.abc import Callable, Iterator

from poolsite.hotpath import rows
from queueing.admission import gate as commands
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate, UnsentChange

KIND = "admission.gate"  # of the gates' history


def settings_of(gate: Gate) -> commands.GateSettings:
    """Return a gate's settings for its scripts. A pinned cap does not change."""
    pinned = gate.pinned_cap is not None
    return commands.GateSettings(
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
    """Mark the gate as unsent, and send its change to Redis after the commit.

    If the mark remains, the watch brings Redis in line with SQL.
    """
    rows.send_after_commit(gate.tag, UnsentChange.objects.create(gate=gate), send)


@contextlib.contextmanager
def redis_refusals() -> Iterator[None]:
    """Turn a gate's own refusal into the API's problem."""
    try:
        yield
    except commands.GateRefusedError as error:
        raise AdmissionError(_kind_of(error.reason), error.reason) from error


def _kind_of(reason: str) -> str:
    if reason == commands.reasons.NO_SUCH_GATE:
        return "unavailable"
    return "gate-recovering" if reason == commands.reasons.RECOVERING else "gate-refused"


def locked(gate: Gate) -> Gate:
    """Return the gate's row, locked until the transaction ends."""
    return rows.locked(Gate.objects, gate)
