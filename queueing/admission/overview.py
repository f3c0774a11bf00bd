"""What the gates put into the search and into the metrics."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import access, operations
from poolsite.access import Principal
from poolsite.hotpath.rows import with_figures
from poolsite.operations import Found
from poolsite.operations.aggregate_metrics import AggregateMetrics, add_each
from queueing.admission import gate as door
from queueing.admission.models import Gate, Task

LEVELS = ("cap", "used", "waiting")
COUNTERS = ("granted", "refused", "expired", "done", "failed", "late", "overrun")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    operations.register_search("admission", find)
    operations.register_metrics("admission", collect)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Gates by slug or key, tasks by their very device."""
    if not access.decide(principal, "admission.view"):
        return []
    gates = access.visible(Gate.objects.all(), principal, "admission.view")
    rows = gates.filter(slug__startswith=text.lower()) | gates.filter(key=text)
    found = [
        Found(_("Gate"), row.name, row.slug, f"/gates/{row.slug}/", exact=row.slug == text.lower())
        for row in rows.order_by("slug")[:limit]
    ]
    tasks = Task.objects.filter(device=text, batch__gate__in=gates).select_related("batch__gate")
    found += [
        Found(
            _("Device task"),
            row.device,
            f"{row.batch.name} · {row.get_state_display()}",
            f"/gates/{row.batch.gate.slug}/",
            exact=True,
        )
        for row in tasks.order_by("-pk")[:limit]
    ]
    return found[:limit]


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
