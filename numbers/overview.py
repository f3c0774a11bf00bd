"""What the pools put on the overview (cards.py), into the search and into the metrics."""

from collections.abc import Iterable

from django.utils.translation import gettext as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from numbers import cards, selectors
from numbers.models import Pool
from poolsite import access, number_format, operations
from poolsite.access import Principal
from poolsite.operations import Found
from poolsite.operations.aggregate_metrics import AggregateMetrics, add_each

STATES = ("idle_up", "idle_down", "busy_up", "busy_down", "quarantined", "resting", "waiting")
COUNTERS = ("offered", "carried", "blocked")


def register() -> None:
    """Called once, by AppConfig.ready()."""
    cards.register()
    operations.register_search("numbers", find)
    operations.register_metrics("numbers", collect)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Pools by slug, numbers by their beginning, calls by their very id."""
    if not access.decide(principal, "numbers.view"):
        return []
    found = [*_pools(principal, text, limit), *_numbers(principal, text, limit)]
    return (found + _calls(principal, text, limit))[:limit]


def _pools(principal: Principal, text: str, limit: int) -> list[Found]:
    rows = selectors.visible_pools(principal).filter(slug__startswith=text.lower())
    return [
        Found(_("Pool"), row.name, row.slug, f"/pools/{row.slug}/", exact=row.slug == text.lower())
        for row in rows.order_by("slug")[:limit]
    ]


def _numbers(principal: Principal, text: str, limit: int) -> list[Found]:
    typed = number_format.beginning(text)
    if not typed:
        return []
    visible = selectors.visible_numbers(principal)
    prefixes = [selectors.stored_value(visible, typed)]
    if prefixes == [typed] and not typed.startswith("+"):
        prefixes.append("+" + typed)
    found: list[Found] = []
    for prefix in prefixes:
        rows = visible.filter(selectors.prefix_condition(prefix))
        found += [
            Found(
                _("Number"),
                row.value,
                " · ".join(part for part in (row.pool.name, row.region, row.label) if part),
                f"/numbers/{row.value}/",
                exact=row.value == prefix,
            )
            for row in rows.select_related("pool").order_by("value")[:limit]
        ]
    return found


def _calls(principal: Principal, text: str, limit: int) -> list[Found]:
    rows = selectors.visible_calls(principal).filter(call_id=text).order_by("-started_at")
    return [
        Found(
            _("Call"),
            row.call_id,
            f"{row.number} · {row.started_at:%Y-%m-%d %H:%M:%S}",
            f"/numbers/{row.number}/",
            exact=True,
        )
        for row in rows[:limit]
    ]


def collect() -> Iterable[Metric]:
    """Figures of each pool for Prometheus: no numbers, no names of people."""
    states = GaugeMetricFamily(
        "poolsite_pool_numbers", "Numbers of a pool by state.", labels=["pool", "state"]
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
