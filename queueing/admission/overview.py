"""The gates' metrics."""

from collections.abc import Iterable
from itertools import accumulate

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)

from poolsite import operations
from poolsite.aggregates.metrics import AggregateMetrics, add_each
from poolsite.hotpath.rows import with_figures
from queueing.admission import gate as commands
from queueing.admission.models import Gate

LEVELS = ("cap", "used", "permits", "waiting")
COUNTERS = ("granted", "refused", "expired", "done", "failed", "late", "overrun")


def register() -> None:
    """Register the collector. AppConfig.ready() calls this once."""
    operations.register_metrics("admission", collect)


def collect() -> Iterable[Metric]:
    """Return each gate's metrics for Prometheus, without names of holders or devices."""
    levels = GaugeMetricFamily(
        "poolsite_gate_permits",
        "Slots of a gate: cap, in use, permits, waiting.",
        labels=["gate", "what"],
    )
    common = AggregateMetrics("poolsite_gate", "gate", opened="1 while the gate lets holders in.")
    counters = CounterMetricFamily(
        "poolsite_gate_events", "Events of a gate since its data began.", labels=["gate", "event"]
    )
    waits = HistogramMetricFamily(
        "poolsite_gate_wait_seconds",
        "From the first request to the permit, for gates with a line.",
        labels=["gate"],
    )
    for gate, figures in with_figures(Gate.objects.order_by("slug"), commands.show, patient=True):
        common.add(gate.slug, figures)
        if figures is not None:
            add_each(levels, [gate.slug], figures, LEVELS)
            add_each(counters, [gate.slug], figures, COUNTERS)
            waits.add_metric([gate.slug], *_histogram(figures.waits))
    return [levels, common.is_open, common.backlog, counters, waits]


def _histogram(waits: commands.Waits) -> tuple[list[tuple[str, float]], float]:
    """Return Prometheus' histogram: how many waited up to each bound, and the sum in seconds."""
    bounds = [*(str(bound / 1_000) for bound in waits.bounds_ms), "+Inf"]
    return list(zip(bounds, accumulate(waits.total), strict=True)), waits.total_us / 1e6
