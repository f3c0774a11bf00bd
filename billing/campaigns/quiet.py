"""Quiet hours: from when until when nobody is disturbed, in the account's zone, each day."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo


@dataclass(frozen=True, slots=True)
class QuietHours:
    """[since, until) of each day in a zone; over midnight when `until` is the earlier one.

    None, or both the same: no quiet hours.
    """

    since: time | None
    until: time | None
    zone: str

    def end(self, now: datetime) -> datetime | None:
        """When the quiet hours that run at `now` end (UTC); None when none run.

        A wall time that the clocks skip ends where it would have been.
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
