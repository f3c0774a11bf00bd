"""Deletes history that is older than it is kept, a bounded batch at a time."""

import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from poolsite.history.registry import Retained, sources
from poolsite.moments import us_of

BATCH_ROWS = 2_000
MOST_SECONDS = 60.0


def delete_expired() -> dict[str, int]:
    """Delete expired rows of every registered table; returns how many of each.

    Batches go by primary key, which follows time: no index on the time is needed, and no lock
    is held for longer than one batch. Stops after a minute; the next sweep goes on.
    """
    deadline = time.monotonic() + MOST_SECONDS
    deleted: dict[str, int] = {}
    for source in sources():
        for table in source.retained():
            label = table.model._meta.label
            while time.monotonic() < deadline:
                rows, looked_at = _delete_batch(table)
                deleted[label] = deleted.get(label, 0) + rows
                if rows <= looked_at // 2:  # a few may stay among the expired: calls that run
                    break
    return deleted


def _delete_batch(table: Retained) -> tuple[int, int]:
    """Delete the expired among the oldest rows; returns (deleted, looked at)."""
    manager: models.Manager[Any] = table.model._base_manager
    keys = list(manager.order_by("pk").values_list("pk", flat=True)[:BATCH_ROWS])
    if not keys:
        return 0, 0
    expired = manager.filter(pk__lte=keys[-1], **{f"{table.field}__lt": _cutoff(table)})
    _, by_table = expired.delete()
    return by_table.get(table.model._meta.label, 0), len(keys)


def _cutoff(table: Retained) -> Any:
    days = settings.HISTORY_KEEP_DAYS if table.keep_days is None else table.keep_days
    moment = timezone.now() - timedelta(days=days)
    if isinstance(table.model._meta.get_field(table.field), models.DateTimeField):
        return moment
    return us_of(moment)
