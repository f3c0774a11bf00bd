"""What the gates put into the search and into the metrics."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import access, hotpath, operations
from poolsite.access import Principal
from poolsite.operations import Found
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
            _("Task of a device"),
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
    is_open = GaugeMetricFamily(
        "poolsite_gate_open", "1 while the gate lets holders in.", labels=["gate"]
    )
    backlog = GaugeMetricFamily(
        "poolsite_gate_history_backlog", "Entries that SQL does not have yet.", labels=["gate"]
    )
    counters = CounterMetricFamily(
        "poolsite_gate_events", "Events of a gate since its data began.", labels=["gate", "event"]
    )
    slugs = list(Gate.objects.order_by("slug").values_list("slug", flat=True))
    for slug, its in zip(slugs, hotpath.run_batch([door.show(s) for s in slugs]), strict=True):
        figures = None if isinstance(its, hotpath.HotPathError) else its
        is_open.add_metric([slug], float(figures is not None and figures.status == "open"))
        if figures is None:
            continue
        backlog.add_metric([slug], figures.seq - figures.drained)
        for name in LEVELS:
            levels.add_metric([slug, name], getattr(figures, name))
        for name in COUNTERS:
            counters.add_metric([slug, name], getattr(figures, name))
    return [levels, is_open, backlog, counters]
