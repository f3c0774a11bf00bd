"""The pools' cards on the overview (cards.py), and their metrics."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from numbers import cards, selectors
from numbers.models import Pool
from poolsite import operations
from poolsite.aggregates.metrics import AggregateMetrics, add_each

STATES = (
    *("idle_up", "idle_down", "pickable", "busy_up", "busy_down"),
    *("quarantined", "resting", "waiting"),
)
COUNTERS = ("offered", "carried", "blocked")


def register() -> None:
    """Register the cards and metrics. Called once, in AppConfig.ready()."""
    cards.register()
    operations.register_metrics("numbers", collect)


def collect() -> Iterable[Metric]:
    """Return each pool's figures for Prometheus. They have no numbers and no names of people."""
    states = GaugeMetricFamily(
        "poolsite_pool_numbers",
        "Numbers of a pool by state; pickable: idle ones that a call may get now.",
        labels=["pool", "state"],
    )
    common = AggregateMetrics("poolsite_pool", "pool", opened="1 while the pool lends numbers.")
    counters = CounterMetricFamily(
        "poolsite_pool_calls", "Calls of a pool by outcome.", labels=["pool", "outcome"]
    )
    slugs: list[str] = list(Pool.objects.order_by("slug").values_list("slug", flat=True))
    for slug, live in selectors.pool_live(slugs).items():
        common.add(slug, live)
        if live is not None:
            add_each(states, [slug], live, STATES)
            add_each(counters, [slug], live, COUNTERS)
            counters.add_metric([slug, "inbound"], live.carried_in)
    return [states, common.is_open, common.backlog, counters]
