"""The desks' metrics."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import operations
from poolsite.aggregates.metrics import AggregateMetrics, add_each
from poolsite.hotpath.rows import with_figures
from queueing.line import desk as commands
from queueing.line.models import Desk, Queue
from queueing.line.selectors import wallboard

LEVELS = ("waiting", "online", "free")


def register() -> None:
    """Register the metrics. Called once, by AppConfig.ready()."""
    operations.register_metrics("line", collect)


def collect() -> Iterable[Metric]:
    """Return figures of each desk for Prometheus, without names of visitors or agents."""
    levels = GaugeMetricFamily(
        "poolsite_line_queue",
        "A queue now: visitors waiting, agents online, agents free.",
        labels=["desk", "queue", "what"],
    )
    oldest = GaugeMetricFamily(
        "poolsite_line_oldest_wait_seconds",
        "How long the visitor who came first has waited; 0 = no one is waiting.",
        labels=["desk", "queue"],
    )
    common = AggregateMetrics("poolsite_line", "desk", opened="1 while the desk matches visitors.")
    ended = CounterMetricFamily(
        "poolsite_line_visits",
        "Visits since the desk's data began; abandoned: all that ended unserved, short ones too.",
        labels=["desk", "what"],
    )
    today = GaugeMetricFamily(
        "poolsite_line_today",
        "A queue's visits since midnight: served, in_time of them, abandoned, short abandons.",
        labels=["desk", "queue", "what"],
    )
    names = dict(Queue.objects.values_list("pk", "slug"))
    for desk, figures in with_figures(Desk.objects.order_by("slug"), commands.show, patient=True):
        common.add(desk.slug, figures)
        if figures is None:
            continue
        add_each(ended, [desk.slug], figures, ("answered", "abandoned"))
        counted = wallboard.counts_today(desk)
        for key, queue in figures.queues.items():
            name = names.get(key, str(key))
            add_each(levels, [desk.slug, name], queue, LEVELS)
            waited_us = figures.now_ms * 1_000 - queue.oldest_us if queue.oldest_us else 0
            oldest.add_metric([desk.slug, name], max(0, waited_us) / 1_000_000)
            for what, count in counted.get(key, {}).items():
                today.add_metric([desk.slug, name, what], count)
    return [levels, oldest, common.is_open, common.backlog, ended, today]
