"""How pages show what an endpoint is sent."""

import json
from typing import Any

from django import template

register = template.Library()


@register.filter
def as_json(value: Any) -> str:
    """The value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)
