"""Filters of the line's templates."""

from collections.abc import Mapping
from typing import Any

from django import template

from poolsite.moments import moment_of

register = template.Library()


@register.filter
def of(values: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key, or None."""
    return values.get(key)


@register.filter
def moment(at_us: int) -> str:
    """Return a time from Redis (µs) in ISO 8601."""
    return moment_of(at_us).isoformat()
