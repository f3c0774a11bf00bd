"""Metrics of a process's live views, for Prometheus."""

from collections.abc import Iterable

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite.live.hub import hubs


def collect() -> Iterable[Metric]:
    """Return the gauges of this process. Called in a thread at each scrape."""
    known = hubs()
    yield GaugeMetricFamily(
        "poolsite_live_sockets",
        "Open live sockets of this process",
        value=sum(len(hub.outboxes) for hub in known),
    )
    yield GaugeMetricFamily(
        "poolsite_live_topics",
        "Topics that this process reads for its sockets",
        value=sum(len(hub.feeds) for hub in known),
    )
    yield GaugeMetricFamily(
        "poolsite_live_topics_stale",
        "Topics whose source could not be read at the last try",
        value=sum(feed.is_stale for hub in known for feed in tuple(hub.feeds.values())),
    )
    yield CounterMetricFamily(
        "poolsite_live_closed_behind",
        "Sockets closed because they were more than 2 s behind",
        value=sum(hub.closed_behind for hub in known),
    )
