"""Shows on pages what an endpoint is sent."""

import json
from typing import Any

from django import template

register = template.Library()


@register.filter
def as_json(value: Any) -> str:
    """Return the value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
