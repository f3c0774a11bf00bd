"""Incidents of the books: full backlogs, rejected entries, a lag, wallets in safe mode."""

from django.utils.translation import gettext_noop

from poolsite.operations.incidents import KnownIncidents

ALARM_PERCENT = 80
CLEAR_PERCENT = 50
BACKLOG, FAULT, LAG, SAFE_MODE = (
    "billing.backlog",
    "billing.fault",
    "billing.lag",
    "billing.safe_mode",
)


class BookAlarms(KnownIncidents):
    """The incidents that a turn of the persistence opens and closes."""

    types = (BACKLOG, FAULT, LAG, SAFE_MODE)

    def backlog(self, slug: str, backlog: int, limit: int) -> None:
        """Open the incident at 80 % of the limit, close it below 50 %."""
        percent = backlog * 100 // limit if limit else 0
        if percent >= ALARM_PERCENT:
            self.open(
                BACKLOG,
                slug,
                severity="critical" if percent >= 100 else "warning",
                title=gettext_noop("Entries of %(account)s are waiting for SQL"),
                detail=gettext_noop(
                    "%(backlog)s entries are only in Redis, %(percent)s%% of the limit."
                ),
                remedy=gettext_noop(
                    "Check SQL and the workers. At 100%%, new holds are refused; refunds are "
                    "still accepted."
                ),
                params={"account": slug, "backlog": backlog, "percent": min(percent, 100)},
                url=f"/accounts/{slug}/",
            )
        elif percent < CLEAR_PERCENT:
            self.close(BACKLOG, slug)

    def fault(self, slug: str, reason: str) -> None:
        """Open the incident: SQL can't store an account's next entries, which wait for a person."""
        self.open(
            FAULT,
            slug,
            severity="critical",
            title=gettext_noop("The entries of %(account)s cannot be written"),
            detail=gettext_noop("SQL rejected the next batch: %(reason)s"),
            remedy=gettext_noop(
                "Nothing is lost: the entries stay in Redis. Run manage.py audit for this account."
            ),
            params={"account": slug, "reason": reason[:200]},
        )

    def lag(self, shard: int, seconds: int) -> None:
        """Open the incident: a shard's oldest entry has waited far longer than the interval."""
        self.open(
            LAG,
            str(shard),
            severity="warning",
            title=gettext_noop("The books are behind in shard %(shard)s"),
            detail=gettext_noop("The oldest entry has been waiting for SQL for %(seconds)s s."),
            remedy=gettext_noop("Check the workers, the scheduler and SQL. Add workers if needed."),
            params={"shard": shard, "seconds": seconds},
        )

    def safe_mode(self, slug: str, why: str) -> None:
        """Open the incident: Redis lost a wallet or went back in time. Refunds work, holds fail."""
        self.open(
            SAFE_MODE,
            slug,
            severity="critical",
            title=gettext_noop("%(account)s is in safe mode"),
            detail=gettext_noop(
                "Redis lost data (%(why)s). Refunds are accepted; new holds are refused."
            ),
            remedy=gettext_noop(
                "The balance is being rebuilt from SQL. The account reopens automatically."
            ),
            params={"account": slug, "why": why},
            url=f"/accounts/{slug}/",
        )
