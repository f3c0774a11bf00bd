"""What the desks put into the search and into the metrics."""

from collections.abc import Iterable

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from poolsite import access, operations
from poolsite.access import Principal
from poolsite.hotpath.rows import with_figures
from poolsite.operations import Found
from poolsite.operations.aggregate_metrics import AggregateMetrics, add_each
from queueing.line import desk as door
from queueing.line.models import Desk, Queue, Visit
from queueing.line.selectors import wallboard

LEVELS = ("waiting", "online", "free")
ID_LENGTH = 6  # so much of a visit's id finds it


def register() -> None:
    """Called once, by AppConfig.ready()."""
    operations.register_search("line", find)
    operations.register_metrics("line", collect)


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Desks and queues by slug; visits (and their rooms) by id, name or contact."""
    if not access.decide(principal, "line.view"):
        return []
    desks = access.visible(Desk.objects.all(), principal, "line.view")
    lower = text.lower()
    found = [
        Found(_("Desk"), row.name, row.slug, _url("wallboard", row.slug), exact=row.slug == lower)
        for row in desks.filter(slug__startswith=lower).order_by("slug")[:limit]
    ]
    queues = Queue.objects.filter(desk__in=desks, slug__startswith=lower).select_related("desk")
    found += [
        Found(_("Queue"), row.name, row.slug, _url("floor", row.desk.slug), row.slug == lower)
        for row in queues.order_by("slug")[:limit]
    ]
    who = Q(name=text) | Q(contact=text) | Q(public_id=text)
    if len(text) >= ID_LENGTH:
        who |= Q(public_id__startswith=text)
    visits = Visit.objects.filter(who, desk__in=desks).select_related("desk", "queue")
    found += [
        Found(
            _("Visitor"),
            row.name or row.public_id,
            f"{row.queue.name} · {row.get_outcome_display() or _('running')}",
            reverse("line:story", args=[row.desk.slug, row.public_id]),
            exact=text in (row.public_id, row.contact, row.name),
        )
        for row in visits.order_by("-pk")[:limit]
    ]
    return found[:limit]


def _url(name: str, slug: str) -> str:
    return reverse(f"line:{name}", args=[slug])


def collect() -> Iterable[Metric]:
    """Figures of each desk for Prometheus: no names of visitors or agents."""
    levels = GaugeMetricFamily(
        "poolsite_line_queue",
        "A queue now: visitors waiting, agents online, agents free.",
        labels=["desk", "queue", "what"],
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
    for desk, figures in with_figures(Desk.objects.order_by("slug"), door.show, patient=True):
        common.add(desk.slug, figures)
        if figures is None:
            continue
        add_each(ended, [desk.slug], figures, ("answered", "abandoned"))
        counted = wallboard.counts_today(desk)
        for key, queue in figures.queues.items():
            name = names.get(key, str(key))
            add_each(levels, [desk.slug, name], queue, LEVELS)
            for what, count in counted.get(key, {}).items():
                today.add_metric([desk.slug, name, what], count)
    return [levels, common.is_open, common.backlog, ended, today]
