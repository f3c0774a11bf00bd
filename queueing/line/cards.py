"""The desks' card on the overview, with the longest waits first, and their managed objects."""

from collections.abc import Sequence
from datetime import datetime
from math import inf
from typing import Any

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import console
from poolsite.aggregates.cards import MOST, AggregateCard
from poolsite.aggregates.minutes import hour_trends
from poolsite.console.templatetags.console import clock, figure
from poolsite.kept import TtlCache
from queueing.line.models import Agent, Desk, DeskSample, Queue
from queueing.line.selectors.desks import DESKS, DeskRow, desk_rows
from queueing.line.selectors.report_span import span_of
from queueing.line.selectors.reports import DeskReport
from queueing.line.services.desk_settings import desk_configure
from queueing.line.services.desks import agent_configure, queue_configure

LEVEL_GOAL = 0.8
LEVEL_FRESH_SECONDS = 15.0
_LEVELS: TtlCache[int, float | None] = TtlCache(LEVEL_FRESH_SECONDS)


def register() -> None:
    """Register the card and the objects. Called once, by AppConfig.ready()."""
    CARD.register()
    console.register_managed(
        console.ManagedKind(
            "desk",
            gettext_lazy("Desk"),
            gettext_lazy("Visible to everyone who can view the desk's settings."),
            Desk.objects.all,
            lambda desk: reverse("line:settings", args=[desk.slug]),
            "line.configure",
            "line.configure",
            console.Undo(
                "line.desk_configure",
                console.through(desk_configure, "desk"),
            ),
        )
    )
    console.register_managed(
        console.ManagedKind(
            "queue",
            gettext_lazy("Queue"),
            gettext_lazy("Visible to everyone who can view the desk's settings."),
            Queue.objects.select_related("desk").all,
            lambda queue: reverse("line:queue", args=[queue.desk.slug, queue.slug]),
            "line.configure",
            "line.configure",
            console.Undo(
                "line.queue_configure",
                console.through(queue_configure, "queue"),
            ),
        )
    )
    console.register_way(
        console.UndoHandler(
            console.Undo(
                "line.agent_configure",
                console.through(agent_configure, "agent"),
                why_not=_why_archived,
            ),
            "agent",
            Agent.objects.select_related("desk").all,
            lambda _entry: "line.configure",
        )
    )


def _why_archived(agent: Agent) -> str:
    return _("This agent is archived.") if agent.archived_at is not None else ""


def _waited(row: DeskRow, now: datetime) -> float:
    return now.timestamp() - row.oldest_us / 1_000_000 if row.oldest_us else 0.0


def _cells(row: DeskRow) -> list[dict[str, Any]]:
    now = timezone.now()
    alarm = min((q.longest_wait_alarm_seconds for q in row.desk.queues.all()), default=300)
    waited = _waited(row, now)
    level = _level(row.desk, now)
    longest: dict[str, Any] = {"text": clock(waited) if row.oldest_us else "–"}
    if waited > alarm:
        longest["severity"] = "critical"
    waiting: dict[str, Any] = {"text": figure(row.waiting)}
    if row.status in ("recovering", "missing"):
        words = {"recovering": _("Recovering"), "missing": _("No data")}
        waiting = {"text": words[row.status], "severity": "warning"}
    told = {
        "text": f"{level * 100:.0f}%" if level is not None else "–",
        "severity": "warning" if level is not None and level < LEVEL_GOAL else "",
    }
    return [waiting, longest, told]


def _level(desk: Desk, now: datetime) -> float | None:
    """Return today's service level. Cached for 15 s, because the overview is read every 2 s."""
    today = span_of(desk, None, None, now)
    return _LEVELS.get(desk.pk, lambda: DeskReport(desk, today, now=now).total().level)


def _trends(desks: Sequence[Desk], now: datetime) -> dict[int, list[float | None]]:
    """Return how many visitors waited in all queues of each desk."""
    waiting = DeskSample.objects.values("queue__desk_id", "minute").order_by()
    samples = waiting.annotate(waiting_sum=Sum("waiting"))
    return hour_trends([desk.pk for desk in desks], samples, "queue__desk_id", "waiting_sum", now)


CARD = AggregateCard(
    name="line.desks",
    title=gettext_lazy("Desks"),
    icon="support_agent",
    order=20,
    right="line.view",
    url="line:desks",
    page="line:wallboard",
    rows=lambda reader: desk_rows(list(DESKS.visible(reader)[:MOST])),
    rank=lambda row: -(row.oldest_us or inf),
    trends=_trends,
    columns=lambda: [_("Desk"), _("Waiting"), _("Longest"), _("Level")],
    cells=_cells,
    empty=gettext_lazy("No desks yet. Create a desk so that visitors can wait for your agents."),
    counted=lambda n: (
        ngettext("%(n)s desk, today's service level", "%(n)s desks, today's service level", n)
        % {"n": n}
    ),
)
