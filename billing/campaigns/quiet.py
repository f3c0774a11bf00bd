"""Quiet hours: the time of day in which no messages are sent, in the account's time zone."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class QuietHours:
    """[since, until) of each day in a zone. It spans midnight if `until` is the earlier time.

    If a time is None, or both are the same, there are no quiet hours.
    """

    since: time | None
    until: time | None
    zone: str

    def end(self, now: datetime) -> datetime | None:
        """Return the end (UTC) of the quiet hours that contain `now`, or None if none do.

        If the clocks skip the local time of the end, it is computed as if they had not changed.
        """
        if self.since is None or self.until is None or self.since == self.until:
            return None
        local = now.astimezone(ZoneInfo(self.zone))
        for day in (local.date() - timedelta(days=1), local.date()):
            last = day if self.since < self.until else day + timedelta(days=1)
            begins = datetime.combine(day, self.since, local.tzinfo)
            ends = datetime.combine(last, self.until, local.tzinfo)
            if begins.astimezone(UTC) <= now < ends.astimezone(UTC):
                return ends.astimezone(UTC)
        return None
