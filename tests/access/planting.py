"""Rows of any model in which every text is hostile to a spreadsheet."""

import itertools
from collections.abc import Callable
from typing import Any

from django.db import models
from django.utils import timezone

# A spreadsheet would compute each, as a whole cell or after a split at another separator.
HOSTILE = (
    "=1+1",
    "\u00a0=cmd|'/C calc'!A0",
    "\x0b=1+1",
    "\u200b@SUM(1)",
    "x;=1+1",
    "＋1+1",
    "a\n=1+1",
    '"=1+1',
    "\ufeff-1+1",
    "\t=1+1",
    "\u3000\u2212(1+1)",
    "\x0c\x1f=1+1",
)
_BLANKS: dict[type[Any], Callable[[], object]] = {
    models.IntegerField: lambda: 1,
    models.DecimalField: lambda: 1,
    models.BooleanField: lambda: False,
    models.DateTimeField: timezone.now,
    models.JSONField: list,
}
_numbers = itertools.count(1)


def plant(model: type[models.Model], **fixed: Any) -> None:
    """Write a row for each hostile text, in every text column except those of `fixed`.

    fixed: column → value, or a function of the row's number. Texts with choices keep a valid one.
    """
    model._base_manager.bulk_create(
        [model(**_values(model, fixed, next(_numbers), bad)) for bad in HOSTILE]
    )


def _values(
    model: type[models.Model], fixed: dict[str, Any], number: int, bad: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        if field.name in fixed:
            value = fixed[field.name]
            values[field.name] = value(number) if callable(value) else value
        elif isinstance(field, models.CharField | models.TextField) and not field.choices:
            values[field.name] = bad[: field.max_length]
        elif not (field.has_default() or field.null or field.primary_key or field.blank):
            values[field.name] = _blank(field)
    return values


def _blank(field: Any) -> object:
    if field.choices:
        return field.choices[0][0]
    kinds = (kind for kind in _BLANKS if isinstance(field, kind))
    return _BLANKS[next(kinds)]()
