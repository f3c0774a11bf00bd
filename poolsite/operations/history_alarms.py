"""Incidents of the history: a backlog near its limit, dropped entries, Redis behind SQL."""

from django.utils.translation import gettext_noop

from poolsite.history.stream import State
from poolsite.operations.incidents import KnownIncidents

ALARM_PERCENT = 80
CLEAR_PERCENT = 50
BACKLOG, DROPPED, BEHIND, FAULT = (
    "history.backlog",
    "history.dropped",
    "history.behind",
    "history.fault",
)


class HistoryAlarms(KnownIncidents):
    """The history's incidents, which a sweep of drains opens and closes."""

    types = (BACKLOG, DROPPED, BEHIND, FAULT)

    def backlog(self, tag: str, state: State) -> None:
        """Open the incident at 80 % of the limit. Close it below 50 %."""
        if state.percent >= ALARM_PERCENT:
            self.open(
                BACKLOG,
                tag,
                severity="critical" if state.percent >= 100 else "warning",
                title=gettext_noop("History of %(tag)s is waiting for SQL"),
                detail=gettext_noop(
                    "%(backlog)s entries are only in Redis, %(percent)s%% of the limit."
                ),
                remedy=gettext_noop(
                    "Check the SQL database and the workers. At 100%% the oldest entries are "
                    "dropped."
                ),
                params={
                    "tag": tag,
                    "backlog": state.backlog,
                    "percent": min(int(state.percent), 100),
                },
            )
        elif state.percent < CLEAR_PERCENT:
            self.close(BACKLOG, tag)

    def drained(self, tag: str, lag: int, *, gaps: int) -> None:
        """Record a successful drain: open an incident for gaps, close those that it ended."""
        if gaps:
            self.open(
                DROPPED,
                tag,
                severity="critical",
                title=gettext_noop("History of %(tag)s has a gap"),
                detail=gettext_noop(
                    "The timeline shows the gap. Entries that never reached SQL: %(count)s."
                ),
                remedy=gettext_noop("Reconcile SQL with Redis, and raise the backlog limit."),
                params={"tag": tag, "count": gaps},
            )
        else:
            self.close(DROPPED, tag)
        self.close(BEHIND, tag)
        self.close(FAULT, tag)
        if lag == 0:
            self.close(BACKLOG, tag)

    def behind(self, tag: str, reason: str) -> None:
        """Open an incident because Redis lost writes that SQL has, or everything."""
        self.open(
            BEHIND,
            tag,
            severity="critical",
            title=gettext_noop("Redis is behind SQL for %(tag)s"),
            detail=gettext_noop(
                "Redis restarted without its last writes, or failed over (%(reason)s)."
            ),
            remedy=gettext_noop(
                "It is being rebuilt from SQL. Open it early only if no calls are in progress."
            ),
            params={"tag": tag, "reason": reason},
        )

    def fault(self, tag: str, error: str) -> None:
        """Open an incident about entries that SQL refuses. They wait in Redis."""
        self.open(
            FAULT,
            tag,
            severity="critical",
            title=gettext_noop("History of %(tag)s can't be written"),
            detail=gettext_noop("SQL refused the next entries: %(error)s"),
            remedy=gettext_noop(
                "No data has been lost: the entries are waiting in Redis. Check the worker's log."
            ),
            params={"tag": tag, "error": error[:200]},
        )
