"""The groups' metrics."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import operations
from poolsite.aggregates.metrics import AggregateMetrics, add_each
from poolsite.hotpath.rows import with_figures
from queueing.dispatch import dispatcher as commands
from queueing.dispatch.models import Group

LEVELS = ("sessions", "active", "pending", "ready", "ejected")
COUNTERS = (
    *("started", "ended", "refused", "messages", "delivered", "cleared", "expired", "freed"),
    *("retried", "ejections"),
)


def register() -> None:
    """Register the collector. AppConfig.ready() calls this once."""
    operations.register_metrics("dispatch", collect)


def collect() -> Iterable[Metric]:
    """Return each group's metrics for Prometheus, without names of peers or sessions."""
    levels = GaugeMetricFamily(
        "poolsite_dispatch_level",
        "A group's sessions, its active and pending links, its ready and ejected instances.",
        labels=["group", "what"],
    )
    common = AggregateMetrics(
        "poolsite_dispatch", "group", opened="1 while the group is not recovering."
    )
    counters = CounterMetricFamily(
        "poolsite_dispatch_events",
        "A group's counts since its data began.",
        labels=["group", "event"],
    )
    for group, figures in with_figures(Group.objects.order_by("slug"), commands.show, patient=True):
        common.add(group.slug, figures)
        if figures is not None:
            add_each(levels, [group.slug], figures, LEVELS)
            add_each(counters, [group.slug], figures, COUNTERS)
    return [levels, common.is_open, common.backlog, counters]
