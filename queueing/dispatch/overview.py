"""What the groups put into the search and into the metrics."""

from collections.abc import Iterable
from urllib.parse import urlencode

from django.utils.translation import gettext as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import access, hotpath, operations
from poolsite.access import Principal
from poolsite.hotpath.rows import with_figures
from poolsite.operations import Found
from poolsite.operations.aggregate_metrics import AggregateMetrics, add_each
from queueing.dispatch import dispatcher as door
from queueing.dispatch.models import Group, Instance

LEVELS = ("sessions", "active", "pending")
COUNTERS = (
    *("started", "ended", "refused", "messages", "delivered", "cleared", "expired", "freed"),
)
SESSION_GROUPS = 50  # a session is asked of so many groups at most


def register() -> None:
    """Called once, by AppConfig.ready()."""
    operations.register_search("dispatch", find)
    operations.register_metrics("dispatch", collect)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Groups by slug, instances by name, a session by its very id."""
    if not access.decide(principal, "dispatch.view"):
        return []
    groups = access.visible(Group.objects.all(), principal, "dispatch.view").order_by("slug")
    found = [
        Found(
            _("Group"), row.name, row.slug, f"/groups/{row.slug}/", exact=row.slug == text.lower()
        )
        for row in groups.filter(slug__startswith=text.lower())[:limit]
    ]
    rows = Instance.objects.filter(name__startswith=text, group__in=groups).select_related("group")
    found += [
        Found(
            _("Instance"),
            row.name,
            f"{row.group.name} · {row.get_link_state_display()}",
            f"/groups/{row.group.slug}/",
            exact=row.name == text,
        )
        for row in rows[:limit]
    ]
    if "/" in text:
        found += _sessions(list(groups[:SESSION_GROUPS]), text)
    return found[:limit]


def _sessions(groups: list[Group], text: str) -> list[Found]:
    asked = hotpath.run_batch([door.route(group.slug, text[:81]) for group in groups])
    return [
        Found(
            _("Session"),
            route.session,
            f"{group.name} · {route.back_name}",
            f"/groups/{group.slug}/sessions/?{urlencode({'session': route.session})}",
            exact=True,
        )
        for group, route in zip(groups, asked, strict=True)
        if isinstance(route, door.Route)
    ]


def collect() -> Iterable[Metric]:
    """Figures of each group for Prometheus: no names of peers or sessions."""
    levels = GaugeMetricFamily(
        "poolsite_dispatch_level",
        "A group's sessions, and its links that are active or pending.",
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
    for group, figures in with_figures(Group.objects.order_by("slug"), door.show, patient=True):
        common.add(group.slug, figures)
        if figures is not None:
            add_each(levels, [group.slug], figures, LEVELS)
            add_each(counters, [group.slug], figures, COUNTERS)
    return [levels, common.is_open, common.backlog, counters]
