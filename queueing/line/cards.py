"""What the desks put on the overview: who waits longest, and the first desk."""

from datetime import datetime
from typing import Any

from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from poolsite import access, console
from poolsite.aggregates.minutes import hour_trends
from poolsite.console.templatetags.console import clock, figure
from poolsite.kept import Kept
from queueing.line.models import Agent, Desk, DeskSample, Queue
from queueing.line.selectors.desks import DeskRow, desk_rows
from queueing.line.selectors.report_span import span_of
from queueing.line.selectors.reports import Report
from queueing.line.services.desk_settings import desk_configure
from queueing.line.services.desks import agent_configure, queue_configure
from queueing.line.views.common import visible_desks

MOST_DESKS = 200
SHOWN = 5
LEVEL_GOAL = 0.8
LEVEL_FRESH_SECONDS = 15.0
_LEVELS: Kept[int, float | None] = Kept(LEVEL_FRESH_SECONDS)


def register() -> None:
    """Called once, by AppConfig.ready()."""
    console.register_card(
        console.Card(
            "line.desks",
            gettext_lazy("Desks"),  # type: ignore[arg-type]  # translated where it is shown
            desks_card,
            order=20,
            icon="support_agent",
        )
    )
    console.register_managed(
        console.ManagedKind(
            "desk",
            gettext_lazy("Desk"),  # type: ignore[arg-type]
            gettext_lazy("Visible to everyone who can view the desk's settings."),  # type: ignore[arg-type]
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
            gettext_lazy("Queue"),  # type: ignore[arg-type]
            gettext_lazy("Visible to everyone who can view the desk's settings."),  # type: ignore[arg-type]
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
        console.Way(
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


def desks_card(principal: Any) -> console.CardData | None:
    """The desks with the longest wait: who waits, how long, today's service level."""
    if not access.decide(principal, "line.view"):
        return None
    url = reverse("line:desks")
    rows = desk_rows(list(visible_desks(principal).order_by("slug")[:MOST_DESKS]))
    if not rows:
        empty = _("No desks yet. Create a desk so that visitors can wait for your agents.")
        return console.CardData([], empty=empty, url=url)
    now = timezone.now()
    ranked = sorted(rows, key=lambda row: -_waited(row, now))[:SHOWN]
    keys = [row.desk.pk for row in ranked]
    waiting = DeskSample.objects.values("queue__desk_id", "minute").order_by()
    samples = waiting.annotate(waiting_sum=Sum("waiting"))
    trends = hour_trends(keys, samples, "queue__desk_id", "waiting_sum", now)
    return console.CardData(
        [],
        columns=[_("Desk"), _("Waiting"), _("Longest"), _("Level")],
        rows=[_card_row(row, now, trends[row.desk.pk]) for row in ranked],
        hint=ngettext(
            "%(n)s desk, today's service level", "%(n)s desks, today's service level", len(rows)
        )
        % {"n": len(rows)},
        url=url,
    )


def _waited(row: DeskRow, now: datetime) -> float:
    return now.timestamp() - row.oldest_us / 1_000_000 if row.oldest_us else 0.0


def _card_row(row: DeskRow, now: datetime, trend: list[float | None]) -> dict[str, Any]:
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
    return {
        "name": row.desk.name,
        "url": reverse("line:wallboard", args=[row.desk.slug]),
        "cells": [
            waiting,
            longest,
            {
                "text": f"{level * 100:.0f}%" if level is not None else "–",
                "severity": "warning" if level is not None and level < LEVEL_GOAL else "",
            },
        ],
        "trend": trend,
    }


def _level(desk: Desk, now: datetime) -> float | None:
    """Today's service level; kept for 15 s, as the overview is read every 2 s."""
    today = span_of(desk, None, None, now)
    return _LEVELS.get(desk.pk, lambda: Report(desk, today, now=now).total().level)
