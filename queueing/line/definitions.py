"""What the line's figures mean: one definition each, for pages, files, the interface and metrics.

Practice varies. ICMI lists five formulas of a service level that are in use (Queue Tips, "Service
Level Calculations", 2002): over those answered alone, over all offered, with abandons inside the
target credited or left out. Ours is its strictest, everybody who was offered to the agents counts,
but for short abandons: who leaves within five seconds has not waited (5 s is ICMI's own example;
2 to 20 s are found).
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
    """These figures' names on pages, and what each means: the help text beside it."""
    return {name: MEANINGS[name] for name in names}


def of_board() -> dict[str, Any]:
    """What a wallboard's page says of its figures."""
    return {
        "meanings": meanings("abandoned", "short", "level", "range", "agents", "room"),
        "period": _(
            "Served, gave up and service level cover today, from midnight in the desk's time zone."
        ),
    }


def in_time(queues: Iterable[Queue]) -> Q:
    """Visits that were served within the time that their queue aims at."""
    targets = {queue: timedelta(seconds=queue.answer_within_seconds) for queue in queues}
    each = (
        Q(queue=queue, matched_at__lte=F("joined_at") + target) for queue, target in targets.items()
    )
    return reduce(or_, each, Q(pk__in=()))


def counts(queues: Iterable[Queue]) -> dict[str, Count]:
    """Aggregates over visits of these queues: served, in_time, abandoned, short."""
    return {
        "served": Count("pk", filter=SERVED),
        "in_time": Count("pk", filter=in_time(queues)),
        "abandoned": Count("pk", filter=ABANDONED),
        "short": Count("pk", filter=SHORT_ABANDONED),
    }


def service_level(in_time: int, served: int, abandoned: int) -> float | None:
    """The share of all offered who were served within the target; None = nobody was offered.

    ICMI's formula 3, with short abandons left out of `abandoned`.
    """
    return in_time / (served + abandoned) if served + abandoned else None


def abandonment(served: int, abandoned: int) -> float | None:
    """The share of all offered who were not served (Amazon Connect: abandonment rate).

    Who was sent away, by the longest wait or for want of agents, was not served either.
    """
    return abandoned / (served + abandoned) if served + abandoned else None


def occupancy(handling: float, staffed: float) -> float | None:
    """Handling time, rooms and wrap-up, as a share of staffed time (ICMI; pauses are not staffed).

    0 to 1; rooms that go on in a pause count as staffed too, so that it is never more.
    """
    whole = max(handling, staffed)
    return handling / whole if whole else None
