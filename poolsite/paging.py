"""Keyset pagination: each query reads one row more than the page shows, to see if more follow."""

from typing import TypeVar

from django.db.models import Model, QuerySet

M = TypeVar("M", bound=Model)


def keyset_page(rows: QuerySet[M], size: int) -> tuple[list[M], M | None]:
    """Return the first `size` rows, and the last of them if more rows follow, else None."""
    found = list(rows[: size + 1])
    shown = found[:size]
    return shown, shown[-1] if len(found) > size else None


def older_page(rows: QuerySet[M], before: int | None, size: int) -> tuple[list[M], int | None]:
    """Return a page of `rows`, newest first by primary key, and the next page's `before`."""
    shown, last = keyset_page(rows.filter(pk__lt=before) if before else rows, size)
    return shown, last.pk if last is not None else None
