"""An honest wait: a range from what agents really did, shown only when the data suffice.

With c agents serving, each taking T seconds on average, the visitor at rank k is served after
about k departures; departures of busy agents are a Poisson stream of rate c/T, so the wait is
Gamma-distributed with shape k and scale T/c. Its 50 % and 90 % points are the range (Wilson and
Hilferty's approximation of the gamma distribution's quantiles, 1931).
"""

import math
import time
from dataclasses import dataclass
from datetime import timedelta
from statistics import NormalDist

from django.db.models import Avg, F
from django.utils import timezone

from poolsite import hotpath
from queueing.line import desk as door
from queueing.line.models import Queue, Visit

ENOUGH = 10  # served visits of the last hours before anything is promised
LOOK_BACK = timedelta(hours=4)
FRESH_SECONDS = 15.0
_NORMAL = NormalDist()
_KNOWN: dict[int, tuple[float, float | None, int]] = {}


@dataclass(frozen=True, slots=True)
class Estimate:
    """Half of all such visitors are served within `low_seconds`, nine of ten within the other."""

    low_seconds: int
    high_seconds: int


def estimate(standing: door.Standing) -> Estimate | None:
    """The range for a visitor who waits; None when the data do not suffice."""
    if standing.answer not in ("waiting", "away") or not standing.queue:
        return None
    service_seconds, agents = _pace(standing.queue)
    if service_seconds is None or agents < 1:
        return None
    return wait_range(standing.ahead + 1, service_seconds / agents)


def needs_sql(standing: door.Standing) -> bool:
    """Whether `estimate` would read SQL now instead of telling from memory."""
    return standing.answer in ("waiting", "away") and _remembered(standing.queue) is None


def wait_range(rank: int, seconds_per_departure: float) -> Estimate:
    """The P50 to P90 range of the rank's turn."""
    return Estimate(
        round(gamma_quantile(rank, 0.5) * seconds_per_departure),
        math.ceil(gamma_quantile(rank, 0.9) * seconds_per_departure),
    )


def gamma_quantile(shape: int, probability: float) -> float:
    """The quantile of a gamma distribution of scale 1 (exact for shape 1)."""
    if shape == 1:
        return -math.log(1 - probability)
    third = 1 / (9 * shape)
    return shape * (1 - third + _NORMAL.inv_cdf(probability) * math.sqrt(third)) ** 3


def _pace(queue_id: int) -> tuple[float | None, int]:
    """Mean seconds of a room in this queue, and rooms that agents online have; kept 15 s."""
    known = _remembered(queue_id)
    if known is not None:
        return known
    queue = Queue.objects.select_related("desk").filter(pk=queue_id).first()
    if queue is None:
        return None, 0
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
    agents = _rooms_online(queue)
    _KNOWN[queue_id] = (time.monotonic(), seconds, agents)
    return seconds, agents


def _remembered(queue_id: int) -> tuple[float | None, int] | None:
    known = _KNOWN.get(queue_id)
    if known is None or time.monotonic() - known[0] >= FRESH_SECONDS:
        return None
    return known[1], known[2]


def _rooms_online(queue: Queue) -> int:
    online = 0
    cursor = "0"
    while True:
        cursor, some = hotpath.run(door.agents(queue.desk.slug, cursor))
        online += sum(
            each.capacity
            for each in some
            if each.state == "online" and not each.pending and queue.pk in each.queues
        )
        if cursor == "0":
            return online
