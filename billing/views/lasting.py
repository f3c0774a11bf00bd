"""How long a balance lasts, in words, and how urgent that is."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from poolsite import dates
from poolsite.console.templatetags.console import span

SOON_HOURS = 24  # the same in static/js/billing/portal.js and wallets.js
LATER_HOURS = 72
FAR_HOURS = 24 * 365


@dataclass(frozen=True, slots=True)
class Lasts:
    """`until`: the moment it runs out; `left`: how long that is; `level`: bad, warn or ""."""

    until: str
    left: str
    level: str


def level_of(hours: float) -> str:
    """bad: it runs out within a day; warn: within three."""
    if hours < SOON_HOURS:
        return "bad"
    return "warn" if hours < LATER_HOURS else ""


def lasting(units: int, per_hour: int | None, *, now: datetime) -> Lasts | None:
    """How long so many units last; None while nothing is spent, or for longer than a year."""
    if not per_hour or units > FAR_HOURS * per_hour:
        return None
    hours = max(0.0, units / per_hour)
    until = now + timedelta(hours=hours)
    return Lasts(dates.moment(until), span(hours * 3_600), level_of(hours))
