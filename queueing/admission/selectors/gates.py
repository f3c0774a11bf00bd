"""Gates with their live figures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.aggregates.minutes import hour_sums as sums_of
from poolsite.hotpath import rows
from queueing.admission import gate as door
from queueing.admission.models import Gate, GateEvent, MinuteSample

HOUR_COUNTERS = ("refused", "expired", "overrun")
PAUSED = ("paused_at", "paused_by", "paused_reason")


@dataclass(frozen=True, slots=True)
class GateNow:
    """A gate, and its figures in Redis; None = Redis has no such gate at the moment."""

    gate: Gate
    figures: door.Figures | None
    hour: dict[str, int] = field(default_factory=dict)  # HOUR_COUNTERS, where they are read

    @property
    def status(self) -> str:
        """open, paused, recovering, or missing while Redis has none."""
        return self.figures.status if self.figures else "missing"

    @property
    def share(self) -> float | None:
        """Of the cap that is in use; over 1 while a lowered cap waits for its holders."""
        return self.figures.used / self.figures.cap if self.figures else None


def figures_of(found: door.Figures | None) -> dict[str, Any]:
    """Return a gate's figures as pages get them; `status` "missing" while Redis has none.

    lag: history entries that SQL has not yet. dropped: entries that it will never get.
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


def visible_gates(principal: Principal) -> "QuerySet[Gate]":
    """The gates that the reader may see."""
    gates = Gate.objects.select_related("account").order_by("slug")
    return access.visible(gates, principal, "admission.view")


def gate_get(principal: Principal, slug: str, action: str = "admission.view") -> Gate:
    """One gate. Raises access.Hidden when there is none or it is a foreign one, else Forbidden."""
    gates = Gate.objects.select_related("account").filter(slug=slug)
    return access.require_one(gates, principal, action)


def gate_list(principal: Principal) -> list[GateNow]:
    """Every gate that the principal may see, with its figures. Raises the runner's errors."""
    return with_figures(list(visible_gates(principal)))


def with_figures(gates: Sequence[Gate], *, patient: bool = False) -> list[GateNow]:
    """The gates with their figures, read at once. patient: None in place of an error."""
    found = rows.with_figures(gates, door.show, patient=patient)
    return [GateNow(gate, figures) for gate, figures in found]


def hour_sums(gates: Sequence[Gate]) -> dict[int, dict[str, int]]:
    """What the last hour counted of each gate, by key."""
    keys = [gate.pk for gate in gates]
    return sums_of(keys, MinuteSample.objects.all(), "gate_id", HOUR_COUNTERS)


def with_hours(gates: Sequence[Gate]) -> list[GateNow]:
    """The gates with their figures and what the last hour counted; None in place of an error."""
    sums = hour_sums(gates)
    found = with_figures(gates, patient=True)
    return [GateNow(each.gate, each.figures, sums[each.gate.pk]) for each in found]


def gate_now(gate: Gate) -> GateNow:
    """A gate with its figures."""
    return GateNow(gate, hotpath.run(door.show(gate.slug)))


def gate_out(now: GateNow) -> dict[str, Any]:
    """A gate as the interface tells it, less its settings."""
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


def samples(gate: Gate, since: datetime) -> list[MinuteSample]:
    """A gate's minutes since then, oldest first."""
    return list(MinuteSample.objects.filter(gate=gate, minute__gte=since).order_by("minute"))


def story(gate: Gate, **filters: Any) -> "QuerySet[GateEvent]":
    """A gate's history, newest first; page it by (at_us, pk)."""
    return GateEvent.objects.filter(aggregate=gate, **filters).order_by("-at_us", "-pk")
