"""Estimated waits: a range from the agents' real pace, shown only when there is enough data.

With c agents who each take T seconds on average, the visitor at rank k is served after about k
departures. Departures of busy agents are a Poisson stream of rate c/T, so the wait is
Gamma-distributed with shape k and scale T/c. Its 10 % and 90 % points are the range. The outcomes
of the latest ranges stretch it (`calibration`), so that about eight of ten waits are inside.
"""

import math
import time
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Avg, F
from django.utils import timezone

from queueing.line import desk as commands
from queueing.line.models import Queue, Visit
from queueing.line.services.calibration import PLAIN, Factors, factors_of
from queueing.line.services.common import agents_at
from queueing.line.services.quantiles import HIGH, LOW, gamma_quantile

ENOUGH = 10  # served visits within LOOK_BACK that an estimate needs
LOOK_BACK = timedelta(hours=4)
FRESH_SECONDS = 15.0
_KNOWN: dict[int, tuple[float, "QueuePace"]] = {}


@dataclass(frozen=True, slots=True)
class Estimate:
    """A range of wait: of ten such visitors, eight are served within it, one sooner, one later.

    expected_seconds: the model's mean wait, before calibration.
    """

    low_seconds: int
    high_seconds: int
    expected_seconds: float


@dataclass(frozen=True, slots=True)
class QueuePace:
    """A queue's pace.

    room_seconds: the mean time of a room with its wrap-up, or None if there are too few. rooms: how
    many rooms the online agents can have.
    """

    room_seconds: float | None
    rooms: int
    factors: Factors = PLAIN


def estimate(standing: commands.Standing) -> Estimate | None:
    """Return the range for a waiting visitor, or None if there is not enough data."""
    if standing.answer not in ("waiting", "away") or not standing.queue:
        return None
    pace = _pace(standing.queue)
    if pace.room_seconds is None or pace.rooms < 1:
        return None
    return wait_range(standing.ahead + 1, pace.room_seconds / pace.rooms, pace.factors)


def needs_sql(standing: commands.Standing) -> bool:
    """Whether `estimate` would have to read SQL now, because nothing is cached."""
    return standing.answer in ("waiting", "away") and _remembered(standing.queue) is None


def wait_range(rank: int, seconds_per_departure: float, factors: Factors = PLAIN) -> Estimate:
    """Return the P10 to P90 range of the wait at this rank, in whole seconds."""
    low = gamma_quantile(rank, LOW) * seconds_per_departure * factors.low
    high = gamma_quantile(rank, HIGH) * seconds_per_departure * factors.high
    return Estimate(
        math.floor(min(low, high)), math.ceil(max(low, high)), rank * seconds_per_departure
    )


def _pace(queue_id: int) -> QueuePace:
    """Return the current pace and its calibration. Cached for 15 seconds."""
    known = _remembered(queue_id)
    if known is not None:
        return known
    queue = Queue.objects.select_related("desk").filter(pk=queue_id).first()
    if queue is None:
        return QueuePace(None, 0)
    since = timezone.now() - LOOK_BACK
    served = Visit.objects.filter(
        queue_id=queue_id, ended_at__gte=since, matched_at__isnull=False
    ).order_by("-ended_at")[:200]
    rows = Visit.objects.filter(pk__in=[row.pk for row in served.only("pk")])
    count = rows.count()
    mean = rows.aggregate(mean=Avg(F("ended_at") - F("matched_at")))["mean"]
    seconds = None
    if mean is not None and count >= ENOUGH:
        seconds = max(1.0, mean.total_seconds() + queue.wrap_up_seconds)
    pace = QueuePace(seconds, _rooms_online(queue), factors_of(queue_id))
    _KNOWN[queue_id] = (time.monotonic(), pace)
    return pace


def _remembered(queue_id: int) -> QueuePace | None:
    known = _KNOWN.get(queue_id)
    if known is None or time.monotonic() - known[0] >= FRESH_SECONDS:
        return None
    return known[1]


def _rooms_online(queue: Queue) -> int:
    return sum(
        each.capacity
        for each in agents_at(queue.desk.slug)
        if each.state == "online" and not each.pending and queue.pk in each.queues
    )
