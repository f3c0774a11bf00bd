"""Definitions of the line's figures, one each, for pages, files, the API and metrics.

Practice varies. ICMI lists five formulas of a service level that are in use (Queue Tips, "Service
Level Calculations", 2002): over answered visitors alone, or over all offered, with abandons inside
the target credited or left out. Ours is the strictest: everyone who was offered to the agents
counts, except for short abandons. A visitor who leaves within five seconds has not waited (5 s is
ICMI's own example; values from 2 to 20 s are in use).
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, F, Q
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from queueing.line.models import Queue, Visit

SHORT = timedelta(seconds=5)
SERVED = Q(matched_at__isnull=False)
_UNSERVED = Q(matched_at=None, ended_at__isnull=False)
_LATER = ~Q(outcome=Visit.Outcome.LEFT) | Q(ended_at__gte=F("joined_at") + SHORT)
ABANDONED = _UNSERVED & _LATER
SHORT_ABANDONED = _UNSERVED & Q(outcome=Visit.Outcome.LEFT, ended_at__lt=F("joined_at") + SHORT)

MEANINGS: Mapping[str, tuple[Promise, Promise]] = {
    "offered": (
        _("Offered"),
        _(
            "Visitors served plus visitors who gave up. Visitors who are still waiting are "
            "counted when their wait ends."
        ),
    ),
    "served": (_("Served"), _("Visitors who reached an agent.")),
    "abandoned": (
        _("Gave up"),
        _(
            "Visitors whose wait ended without an agent, whoever ended it. The percentage is "
            "of all offered."
        ),
    ),
    "short": (
        _("Short abandons"),
        _("Visitors who left within 5 s of joining. They are counted only in arrivals."),
    ),
    "level": (
        _("Service level"),
        _(
            "Visitors served within the queue's target time, as a share of all offered. "
            "There is no service level for a single agent."
        ),
    ),
    "occupancy": (
        _("Occupancy"),
        _(
            "Time in rooms and wrap-up, as a share of the time that rooms were available: "
            "agents online and not paused."
        ),
    ),
    "adherence": (
        _("Adherence"),
        _(
            "Share of time worked as scheduled. Not reported, because there is no roster to "
            "compare with."
        ),
    ),
    "range": (
        _("Waits inside the range"),
        _(
            "Of the last day's visitors who were given a wait range, the share served inside "
            "it. The target is eight in ten. A visitor who gives up or is still waiting "
            "after the range ends counts as a miss. A visitor who gives up before it ends "
            "isn't counted."
        ),
    ),
    "told_range": (
        _("Wait range"),
        _(
            "The expected wait that visitors were given when they joined. Eight in ten "
            "should be served inside it. Giving up after the range ends counts as a miss. "
            "Giving up before it ends isn't counted."
        ),
    ),
    "agents": (
        _("Agents of a queue"),
        _("An agent of several queues is counted in each queue, but only once for the desk."),
    ),
    "room": (
        _("Time in room"),
        _(
            "Time since the current room started. For an agent with several rooms, the "
            "longest is shown."
        ),
    ),
}


def meanings(*names: str) -> dict[str, tuple[Promise, Promise]]:
    """Return the labels of these figures and their help texts."""
    return {name: MEANINGS[name] for name in names}


def of_board() -> dict[str, Any]:
    """Return the texts of a wallboard's page about its figures."""
    return {
        "meanings": meanings("abandoned", "short", "level", "range", "agents", "room"),
        "period": _(
            "Served, gave up and service level cover today, from midnight in the desk's time zone."
        ),
    }


def in_time(queues: Iterable[Queue]) -> Q:
    """Return a filter for visits that were served within their queue's target time."""
    targets = {queue: timedelta(seconds=queue.answer_within_seconds) for queue in queues}
    each = (
        Q(queue=queue, matched_at__lte=F("joined_at") + target) for queue, target in targets.items()
    )
    return reduce(or_, each, Q(pk__in=()))


def counts(queues: Iterable[Queue]) -> dict[str, Count]:
    """Return aggregates over visits of these queues: served, in_time, abandoned, short."""
    return {
        "served": Count("pk", filter=SERVED),
        "in_time": Count("pk", filter=in_time(queues)),
        "abandoned": Count("pk", filter=ABANDONED),
        "short": Count("pk", filter=SHORT_ABANDONED),
    }


def service_level(in_time: int, served: int, abandoned: int) -> float | None:
    """Return the share of all offered who were served within the target; None without offers.

    This is ICMI's formula 3, with short abandons left out of `abandoned`.
    """
    return in_time / (served + abandoned) if served + abandoned else None


def abandonment(served: int, abandoned: int) -> float | None:
    """Return the share of all offered who were not served (Amazon Connect: abandonment rate).

    Visitors whose wait ended by the time limit or for lack of agents count as not served, too.
    """
    return abandoned / (served + abandoned) if served + abandoned else None


def occupancy(handling: float, staffed: float) -> float | None:
    """Return rooms and wrap-up as a share of staffed time (ICMI; pauses are not staffed).

    The share is 0 to 1: rooms that continue in a pause count as staffed time, too.
    """
    whole = max(handling, staffed)
    return handling / whole if whole else None
