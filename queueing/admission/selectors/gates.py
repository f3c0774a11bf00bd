"""Gates with their live figures."""

from typing import Any

from django.db.models import QuerySet

from poolsite.aggregates.reading import Now, Reader
from queueing.admission import gate as commands
from queueing.admission.models import Gate, GateEvent, MinuteSample

PAUSED = ("paused_at", "paused_by", "paused_reason")


class GateNow(Now[Gate, commands.GateFigures]):
    """A gate, and its figures in Redis."""

    @property
    def gate(self) -> Gate:
        """The gate."""
        return self.row

    @property
    def share(self) -> float | None:
        """The share of the cap in use. It is over 1 if the cap was lowered below the use."""
        return self.figures.used / self.figures.cap if self.figures else None


def figures_of(found: commands.GateFigures | None) -> dict[str, Any]:
    """Return a gate's figures for pages. `status` is "missing" while Redis has none.

    lag: history entries that are not in SQL yet. dropped: entries that SQL will never get.
    """
    if found is None:
        return {"status": "missing"}
    counts = (
        *("status", "cap", "used", "permits", "waiting", "anonymous", "ghosts", "open_at_us"),
        *("granted", "released", "refused", "expired", "renewed", "freed", "returned"),
        *("done", "failed", "late", "overrun", "closed", "told", "told_at_us", "dropped"),
    )
    return {
        **{name: getattr(found, name) for name in counts},
        "adaptive": found.settings.adaptive,
        "rate_per_second": found.settings.rate_per_second,
        "hold_seconds": round(found.hold_us / 1e6, 1),
        "wait_seconds": found.waits.percentiles(),
        "lag": found.seq - found.drained,
    }


GATES = Reader(
    model=Gate,
    right="admission.view",
    show=commands.show,
    now_of=GateNow,
    sample=MinuteSample,
    part="gate",
    counters=("refused", "expired", "overrun"),
)


def gate_out(now: GateNow) -> dict[str, Any]:
    """Return a gate as the API shows it, without its settings."""
    gate, figures = now.gate, figures_of(now.figures)
    names = ("used", "permits", "waiting", "granted", "refused", "expired", "overrun")
    return {
        **{name: getattr(gate, name) for name in ("slug", "pinned_cap", *PAUSED)},
        "account": gate.account.slug if gate.account else None,
        "status": figures["status"],
        "cap_now": figures.get("cap", gate.pinned_cap or gate.cap),
        **{name: figures.get(name, 0) for name in names},
        "wait_seconds": figures.get("wait_seconds", dict.fromkeys(("p50", "p95", "p99"))),
    }


def story(gate: Gate, **filters: Any) -> "QuerySet[GateEvent]":
    """Return a gate's history, newest first. Page it by (at_us, pk)."""
    return GateEvent.objects.filter(aggregate=gate, **filters).order_by("-at_us", "-pk")
