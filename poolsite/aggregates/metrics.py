"""Prometheus metrics of every kind of aggregate, and how figures become a family's samples."""

from collections.abc import Iterable, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from poolsite.hotpath.aggregates import AggregateFigures


class AggregateMetrics:
    """The families that every kind has: `<prefix>_open` and `<prefix>_history_backlog`.

    label: the name of the slug's label. opened: the help text, what the 1 of an open one means.
    """

    def __init__(self, prefix: str, label: str, *, opened: str) -> None:
        self.is_open = GaugeMetricFamily(f"{prefix}_open", opened, labels=[label])
        self.backlog = GaugeMetricFamily(
            f"{prefix}_history_backlog", "Entries that SQL does not have yet.", labels=[label]
        )

    def add(self, slug: str, figures: AggregateFigures | None) -> None:
        """Add an aggregate. figures: None if Redis does not have it, or is away."""
        self.is_open.add_metric([slug], float(figures is not None and figures.status == "open"))
        if figures is not None:
            self.backlog.add_metric([slug], figures.seq - figures.drained)


def add_each(
    family: GaugeMetricFamily | CounterMetricFamily,
    labels: Sequence[str],
    figures: object,
    names: Iterable[str],
) -> None:
    """Add the figures with these names. The name is the last label."""
    for name in names:
        family.add_metric([*labels, name], getattr(figures, name))
