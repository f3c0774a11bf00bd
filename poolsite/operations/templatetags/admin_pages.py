"""Filters for the admin's own templates: what a list contains, and its page in the console."""

from typing import Any

from django import template

from poolsite.console.admin_console import list_page, row_page
from poolsite.console.admin_texts import ABOUT

register = template.Library()


@register.filter
def about(options: Any) -> str:
    """Return what a model is for."""
    return str(ABOUT.get(options.label_lower, ""))


@register.filter
def console_list(options: Any) -> str:
    """Return the console's page with a model's rows."""
    return list_page(options.model)


@register.filter
def console_row(row: Any) -> str:
    """Return the console's page of a row."""
    return row_page(row)
