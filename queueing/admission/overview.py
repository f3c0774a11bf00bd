"""What the gates put into the metrics."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import operations
from poolsite.hotpath.rows import with_figures
from poolsite.operations.aggregate_metrics import AggregateMetrics, add_each
from queueing.admission import gate as door
from queueing.admission.models import Gate

LEVELS = ("cap", "used", "waiting")
COUNTERS = ("granted", "refused", "expired", "done", "failed", "late", "overrun")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    operations.register_metrics("admission", collect)


def collect() -> Iterable[Metric]:
    """Figures of each gate for Prometheus: no names of holders or devices."""
    levels = GaugeMetricFamily(
        "poolsite_gate_permits", "Permits of a gate: cap, in use, waiting.", labels=["gate", "what"]
    )
    common = AggregateMetrics("poolsite_gate", "gate", opened="1 while the gate lets holders in.")
    counters = CounterMetricFamily(
        "poolsite_gate_events", "Events of a gate since its data began.", labels=["gate", "event"]
    )
    for gate, figures in with_figures(Gate.objects.order_by("slug"), door.show, patient=True):
        common.add(gate.slug, figures)
        if figures is not None:
            add_each(levels, [gate.slug], figures, LEVELS)
            add_each(counters, [gate.slug], figures, COUNTERS)
    return [levels, common.is_open, common.backlog, counters]
