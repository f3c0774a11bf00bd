"""/metrics: the process's own metrics, and those that apps collect from Redis and SQL."""

import time
from collections.abc import Iterable, Iterator

import structlog
from django.db import connection
from django.db.models import Count
from prometheus_client import REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from poolsite import timers
from poolsite.history import selectors as history_selectors
from poolsite.jobs import queues, sweeping, sweeps
from poolsite.jobs.models import Job
from poolsite.operations import health, redis_info
from poolsite.operations.models import Incident
from poolsite.operations.registry import COLLECTORS, MetricsCollector

LOG = structlog.get_logger(__name__)
MOST_AGGREGATES = 200  # listed by name; the sums cover all


def render() -> bytes:
    """Return all metrics in Prometheus' text format. A collector that fails is left out."""
    registry = CollectorRegistry(auto_describe=False)
    guarded = [_Guarded(name, each) for name, each in (BUILT_IN | COLLECTORS).items()]
    for collector in [*guarded, _Collected(guarded)]:
        registry.register(collector)
    try:
        return generate_latest(REGISTRY) + generate_latest(registry)
    finally:
        connection.close()


class _Guarded(Collector):
    def __init__(self, name: str, collector: MetricsCollector) -> None:
        self.name = name
        self.collector = collector
        self.failed = False

    def collect(self) -> Iterable[Metric]:
        try:
            return list(self.collector())
        except Exception as error:
            LOG.warning("metrics.collector_failed", collector=self.name, error=str(error))
            self.failed = True
            return []


class _Collected(Collector):
    """Which collectors this scrape includes. It must run last."""

    def __init__(self, guarded: Iterable[_Guarded]) -> None:
        self.guarded = guarded

    def collect(self) -> Iterable[Metric]:
        up = GaugeMetricFamily(
            "poolsite_collector_up",
            "1 = its figures could be read; 0 = they are left out of this scrape.",
            labels=["collector"],
        )
        for each in self.guarded:
            up.add_metric([each.name], float(not each.failed))
        yield up


def _history() -> Iterator[Metric]:
    lags = history_selectors.lags()
    one = GaugeMetricFamily(
        "poolsite_history_backlog_entries",
        "History entries that are only in Redis.",
        labels=["kind", "aggregate"],
    )
    full = GaugeMetricFamily(
        "poolsite_history_backlog_ratio", "Backlog by its limit; at 1 entries are dropped."
    )
    total = GaugeMetricFamily(
        "poolsite_history_kind_backlog_entries", "The same over all of a kind.", labels=["kind"]
    )
    for lag in lags[:MOST_AGGREGATES]:
        one.add_metric([lag.kind, lag.tag.strip("{}")], lag.backlog)
    full.add_metric([], max((lag.percent for lag in lags), default=0.0) / 100)
    sums: dict[str, int] = {}
    for lag in lags:
        sums[lag.kind] = sums.get(lag.kind, 0) + lag.backlog
    for kind, backlog in sums.items():
        total.add_metric([kind], backlog)
    yield from (one, full, total)
    gaps = GaugeMetricFamily(
        "poolsite_history_gap_entries", "Entries that never reached SQL.", labels=["reason"]
    )
    for reason, missing in history_selectors.gaps_by_reason().items():
        gaps.add_metric([reason], missing)
    yield gaps


def _sweeps() -> Iterator[Metric]:
    age = GaugeMetricFamily(
        "poolsite_sweep_age_seconds", "Since the slowest shard last ended.", labels=["sweep"]
    )
    took = GaugeMetricFamily(
        "poolsite_sweep_duration_seconds", "How long the slowest shard took.", labels=["sweep"]
    )
    failing = GaugeMetricFamily(
        "poolsite_sweep_failing_shards", "Shards whose last run failed.", labels=["sweep"]
    )
    interval = GaugeMetricFamily(
        "poolsite_sweep_interval_seconds", "How often the sweep is to run.", labels=["sweep"]
    )
    now = time.time()
    for name, sweep in sweeps().items():
        interval.add_metric([name], sweep.every_seconds)
        runs = list(sweeping.last_runs(name).values())
        if runs:
            age.add_metric([name], now - min(run.at for run in runs))
            took.add_metric([name], max(run.duration_ms for run in runs) / 1_000)
        failing.add_metric([name], sum(bool(run.error) for run in runs))
    yield from (age, took, failing, interval)


def _health() -> Iterator[Metric]:
    up = GaugeMetricFamily(
        "poolsite_health_up",
        "1 = nothing is wrong with this part, as /readyz says.",
        labels=["check"],
    )
    for answer in health.read().answers:
        up.add_metric([answer.check.name], float(answer.trouble is None))
    yield up


def _queues() -> Iterator[Metric]:
    workers = GaugeMetricFamily(
        "poolsite_queue_workers", "Living workers that consume a queue.", labels=["queue"]
    )
    expired = GaugeMetricFamily(
        "poolsite_queue_expired_runs",
        "Runs of the last hour that no worker came to in time.",
        labels=["queue"],
    )
    for state in queues.queues():
        workers.add_metric([state.name], len(state.workers))
        expired.add_metric([state.name], state.expired_last_hour)
    yield from (workers, expired)


def _timers() -> Iterator[Metric]:
    late = GaugeMetricFamily("poolsite_timers_late_seconds", "99th percentile of the lateness.")
    late.add_metric([], timers.read_state().late_ms / 1_000)
    yield late


def _sql() -> Iterator[Metric]:
    incidents = GaugeMetricFamily("poolsite_incidents_open", "Open incidents.", labels=["severity"])
    rows = Incident.objects.filter(until=None).order_by().values_list("severity")
    counts = dict.fromkeys(Incident.Severity.values, 0) | dict(rows.annotate(Count("pk")))
    for severity, count in counts.items():
        incidents.add_metric([severity], count)
    types = GaugeMetricFamily(
        "poolsite_incidents_open_by_type", "Open incidents of a type.", labels=["type"]
    )
    kinds = Incident.objects.filter(until=None).order_by().values_list("type")
    for kind, count in kinds.annotate(Count("pk")):
        types.add_metric([kind], count)
    jobs = GaugeMetricFamily("poolsite_jobs_unfinished", "Unfinished jobs.", labels=["state"])
    unfinished = Job.objects.exclude(state__in=Job.ENDED).order_by().values_list("state")
    for state, count in unfinished.annotate(Count("pk")):
        jobs.add_metric([state], count)
    yield from (incidents, types, jobs)


def _redis() -> Iterator[Metric]:
    used = GaugeMetricFamily(
        "poolsite_redis_memory_bytes", "Memory that a Redis master uses.", labels=["node"]
    )
    limit = GaugeMetricFamily(
        "poolsite_redis_memory_limit_bytes", "Its maxmemory; 0 = no limit.", labels=["node"]
    )
    clients = GaugeMetricFamily("poolsite_redis_clients", "Its connections.", labels=["node"])
    commands = CounterMetricFamily(
        "poolsite_redis_commands", "Commands since it started.", labels=["node"]
    )
    for node, info in redis_info.primaries().items():
        used.add_metric([node], info["used_memory"])
        limit.add_metric([node], info["maxmemory"])
        clients.add_metric([node], info["connected_clients"])
        commands.add_metric([node], info["total_commands_processed"])
    yield from (used, limit, clients, commands)


BUILT_IN: dict[str, MetricsCollector] = {
    "health": _health,
    "timers": _timers,
    "queues": _queues,
    "history": _history,
    "sweeps": _sweeps,
    "sql": _sql,
    "redis": _redis,
}
