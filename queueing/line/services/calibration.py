"""How far the model's wait ranges are off at a queue, measured by the waits that followed.

Agents who serve other queues, pauses, skills and long rooms make real waits differ from the
model's. The ratio of a visitor's wait to the model's 10 % and 90 % points is much the same from one
visitor to the next. So the 10 % and 90 % points of the latest ratios stretch the next range until
about eight of ten waits are inside, whatever the model misses (split conformal prediction; Lei et
al., 2018). A visitor who gave up or still waits has waited at least this long; Kaplan and Meier's
estimate of the quantiles uses that (1958).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from poolsite.kept import TtlCache
from queueing.line.models import Visit
from queueing.line.services.quantiles import HIGH, LOW, gamma_quantile

ENOUGH = 40  # visitors served after a range was shown to them
LOOK_BACK = timedelta(days=1)
LOOKED_AT = 500
FRESH_SECONDS = 60.0
LEAST, MOST = 0.2, 5.0  # so that one unusual day cannot stretch the ranges further


@dataclass(frozen=True, slots=True)
class Factors:
    """The factors that multiply the model's two points."""

    low: float = 1.0
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class RangeOutcome:
    """A visitor who was shown a range at joining.

    expected: the model's mean wait, in seconds. waited: seconds until the visitor was served, or
    until now, or until the visitor gave up.
    """

    rank: int
    expected: float
    waited: float
    is_served: bool

    def ratio(self, probability: float) -> float:
        """Return the wait as a multiple of the model's point."""
        return self.waited * self.rank / (gamma_quantile(self.rank, probability) * self.expected)


PLAIN = Factors()
_KNOWN: TtlCache[int, Factors] = TtlCache(FRESH_SECONDS)


def factors_of(queue_id: int) -> Factors:
    """Return a queue's factors, from the 500 newest visits of the last day. Cached for a minute."""
    return _KNOWN.get(queue_id, lambda: calibrate(_outcomes(queue_id)))


def calibrate(outcomes: Sequence[RangeOutcome]) -> Factors:
    """Return the factors that fit these outcomes, or the neutral ones if there are too few."""
    if sum(each.is_served for each in outcomes) < ENOUGH:
        return PLAIN
    low, high = (
        _quantile([(each.ratio(share), each.is_served) for each in outcomes], share)
        for share in (LOW, HIGH)
    )
    return Factors(min(MOST, max(LEAST, low)), min(MOST, max(LEAST, high)))


def _quantile(waits: list[tuple[float, bool]], share: float) -> float:
    """Return the share's quantile. A wait whose end was not seen is a lower bound."""
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
