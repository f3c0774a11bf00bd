"""How long a balance lasts, as text, and how urgent that is."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from poolsite import dates
from poolsite.console.templatetags.console import span

SOON_HOURS = 24  # the same in static/js/billing/portal.js and wallets.js
LATER_HOURS = 72
FAR_HOURS = 24 * 365


@dataclass(frozen=True, slots=True)
class Lasts:
    """`until`: when it runs out; `left`: the time until then; `level`: bad, warn or ""."""

    until: str
    left: str
    level: str


def level_of(hours: float) -> str:
    """Return bad if it runs out within a day, warn if within three, else ""."""
    if hours < SOON_HOURS:
        return "bad"
    return "warn" if hours < LATER_HOURS else ""


def lasting(units: int, per_hour: int | None, *, now: datetime) -> Lasts | None:
    """Return how long these units last, or None if nothing is spent or they last over a year."""
    if not per_hour or units > FAR_HOURS * per_hour:
        return None
    hours = max(0.0, units / per_hour)
    until = now + timedelta(hours=hours)
    return Lasts(dates.moment(until), span(hours * 3_600), level_of(hours))
