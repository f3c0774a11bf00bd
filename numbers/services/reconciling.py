"""Compares SQL and Redis, number by number, and repairs the differences.

Services that add, delete or quarantine a number write SQL first, so SQL is right about which
numbers exist. Redis is right about calls. A difference is checked again after the history has been
drained, because an entry that was still on its way is not drift.
"""

from django.db import transaction
from django.db.models import F

from numbers import pool as commands
from numbers.models import Number, Pool
from numbers.services import comparing
from numbers.services.adding import write_aliases
from numbers.services.foreign import INCIDENT as FOREIGN_INCIDENT
from numbers.services.foreign import note_foreign
from numbers.services.reports import PoolReport
from poolsite import access, hotpath
from poolsite.access.services.actor import Actor
from poolsite.operations import incidents


def pool_reconcile(
    *, pool: Pool, check: bool, actor: Actor = "numbers.reconcile", reason: str = ""
) -> PoolReport:
    """Compare a pool in SQL and Redis. Unless `check`, repair the differences.

    A recovering pool is not repaired. A lost one is not compared, either: see the report's status.
    Reads every number once, in pages: memory does not grow with the pool. A repair that changed
    something is audited. Raise the runner's errors.
    """
    figures = hotpath.run(commands.show(pool.slug))
    report = PoolReport(pool.slug)
    if figures is None or figures.generation != pool.generation:
        report.status = "lost"
        return report
    report.status = figures.status
    if report.status == "recovering" and not check:
        return report  # its switches have not reported all calls yet: they are not over
    comparing.drain(pool)
    if not check:
        _write_aliases(pool)
    comparing.Comparison(pool, report, mend=not check).run()
    report.mended = not check
    if report.foreign:
        note_foreign(pool.pk, list(report.foreign))
    else:
        incidents.close(type=FOREIGN_INCIDENT, object=pool.slug)
    if report.mended and report.drift:
        with transaction.atomic():
            access.audit(
                actor=actor,
                action="numbers.pool_reconcile",
                thing=pool,
                after={"drift": report.drift, "samples": report.samples},
                reason=reason,
            )
    return report


def _write_aliases(pool: Pool) -> None:
    """Let Redis find every number that is stored in another format than its canonical form."""
    rows = Number.objects.filter(pool=pool, canonical__isnull=False)
    rows = rows.exclude(canonical=F("value")).order_by("value").only("value", "canonical")
    after = ""
    while page := list(rows.filter(value__gt=after)[: commands.ROWS_LIMIT]):
        write_aliases(pool, page)
        after = page[-1].value
