"""Small helpers of the line's templates."""

from collections.abc import Mapping
from typing import Any

from django import template

from poolsite.moments import moment_of

register = template.Library()


@register.filter
def of(values: Mapping[str, Any], key: str) -> Any:
    """The value of a key, or None."""
    return values.get(key)


@register.filter
def moment(at_us: int) -> str:
    """A time of Redis' in ISO 8601."""
    return moment_of(at_us).isoformat()
