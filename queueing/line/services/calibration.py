"""How far the model's ranges are off at a queue, from what became of those that it told.

Agents who serve other queues, pauses, skills and long rooms make real waits differ from the
model's. The ratio of a visitor's wait to the model's 10 % and 90 % points is much the same from one
visitor to the next, so its own 10 % and 90 % points over the last ones stretch the next range until
about eight of ten are inside, whatever the model misses (split conformal prediction; Lei et al.,
2018). Who gave up or waits still has waited at least so long, which Kaplan and Meier's estimate of
the quantiles uses (1958).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from poolsite.kept import TtlCache
from queueing.line.models import Visit
from queueing.line.services.quantiles import HIGH, LOW, gamma_quantile

ENOUGH = 40  # visitors served after they had been told a range
LOOK_BACK = timedelta(days=1)
LOOKED_AT = 500
FRESH_SECONDS = 60.0
LEAST, MOST = 0.2, 5.0  # one strange day stretches no range beyond it


@dataclass(frozen=True, slots=True)
class Factors:
    """By what the model's two points are multiplied."""

    low: float = 1.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class RangeOutcome:
    """A visitor who was told a range at joining. `expected`: the model's mean wait, seconds.

    waited: until served; else until now, or until the visitor gave up.
    """

    rank: int
    expected: float
    waited: float
    is_served: bool

    def ratio(self, probability: float) -> float:
        """The wait as a multiple of the model's point."""
        return self.waited * self.rank / (gamma_quantile(self.rank, probability) * self.expected)


PLAIN = Factors()
_KNOWN: TtlCache[int, Factors] = TtlCache(FRESH_SECONDS)


def factors_of(queue_id: int) -> Factors:
    """Those of a queue, from the last day's 500 newest; kept for a minute."""
    return _KNOWN.get(queue_id, lambda: calibrate(_outcomes(queue_id)))


def calibrate(outcomes: Sequence[RangeOutcome]) -> Factors:
    """The factors that these outcomes ask for; the model's own ranges while they are too few."""
    if sum(each.is_served for each in outcomes) < ENOUGH:
        return PLAIN
    low, high = (
        _quantile([(each.ratio(share), each.is_served) for each in outcomes], share)
        for share in (LOW, HIGH)
    )
    return Factors(min(MOST, max(LEAST, low)), min(MOST, max(LEAST, high)))


def _quantile(waits: list[tuple[float, bool]], share: float) -> float:
    """The share's quantile, where a wait that was not seen to its end is at least so long."""
    left = 1.0
    ordered = sorted(waits, key=lambda each: (each[0], not each[1]))
    for place, (ratio, is_seen) in enumerate(ordered):
        left *= 1 - is_seen / (len(ordered) - place)
        if 1 - left >= share:
            return ratio
    return ordered[-1][0]


def _outcomes(queue_id: int) -> list[RangeOutcome]:
    now = timezone.now()
    told = Visit.objects.filter(
        queue_id=queue_id,
        joined_at__gte=now - LOOK_BACK,
        place_at_join__isnull=False,
        expected_seconds__gt=0,
    ).order_by("-joined_at")
    names = ("place_at_join", "expected_seconds", "joined_at", "matched_at", "ended_at")
    return [
        RangeOutcome(
            place + 1,
            expected,
            max(0.0, ((matched or ended or now) - joined).total_seconds()),
            matched is not None,
        )
        for place, expected, joined, matched, ended in told.values_list(*names)[:LOOKED_AT]
        if place is not None and expected is not None
    ]
