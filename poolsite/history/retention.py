"""Deletes history that is older than its retention: rows in batches, events by the month.

On PostgreSQL a month of events is dropped once all of it has expired
(poolsite/history/partitions.py), so some events stay for up to a month longer. If the retention is
less than two months, events are deleted row by row there, too.
"""

import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from poolsite.history import partitions
from poolsite.history.registry import Retained, sources
from poolsite.moments import us_of

BATCH_ROWS = 2_000
MOST_SECONDS = 60.0
BY_MONTH_FROM_DAYS = 62


def delete_expired() -> dict[str, int]:
    """Delete what has expired in every registered table, and create the coming months.

    Return `rows`, those deleted one by one, and `months`, those dropped. Batches go by primary key,
    which follows time: no index on the time is needed, and no lock is held for longer than one
    batch. It stops after a minute; the next sweep continues.
    """
    deadline = time.monotonic() + MOST_SECONDS
    done = {"rows": 0, "months": 0}
    for source in sources():
        for table in source.retained():
            # Rows without a value stay: enough of them would fill each batch.
            ended = table.model._base_manager.exclude(**{table.field: None})
            oldest: models.QuerySet[Any] = ended.order_by("pk")
            cutoff = _cutoff(table)
            known = partitions.partitions_of(table.model)
            if known is not None:
                partitions.make_months(table.model, known, timezone.now())
                done["months"] += partitions.drop_months(table.model, known, cutoff)
                if _keep_days(table) >= BY_MONTH_FROM_DAYS:
                    oldest = oldest.filter(at_us__lt=known.before_us)
            while time.monotonic() < deadline:
                rows, looked_at = _delete_batch(table, oldest, cutoff)
                done["rows"] += rows
                if rows <= looked_at // 2:  # a few expired rows may stay: calls that run
                    break
    return done


def _delete_batch(table: Retained, oldest: "models.QuerySet[Any]", cutoff: Any) -> tuple[int, int]:
    """Delete the expired among the oldest rows; return (deleted, examined)."""
    keys = list(oldest.values_list("pk", flat=True)[:BATCH_ROWS])
    if not keys:
        return 0, 0
    expired = oldest.filter(pk__lte=keys[-1], **{f"{table.field}__lt": cutoff})
    _, by_table = expired.delete()
    return by_table.get(table.model._meta.label, 0), len(keys)


def _cutoff(table: Retained) -> Any:
    moment = timezone.now() - timedelta(days=_keep_days(table))
    if isinstance(table.model._meta.get_field(table.field), models.DateTimeField):
        return moment
    return us_of(moment)


def _keep_days(table: Retained) -> float:
    return settings.HISTORY_KEEP_DAYS if table.keep_days is None else table.keep_days
