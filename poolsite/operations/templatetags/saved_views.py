"""`{% saved_views %}`: the menu of a list's saved views. `{% load saved_views %}`."""

from typing import Any

from django import template
from django.template import Context

from poolsite.operations import saved_views as service

register = template.Library()


@register.inclusion_tag("components/saved_views.html", takes_context=True)
def saved_views(context: Context) -> dict[str, Any]:
    """Return the menu's context: the user's views of this page, and the current one."""
    request = context["request"]
    query = service.kept_query(request.META.get("QUERY_STRING", ""))
    views = service.views_of(request.user, request.path) if request.user.is_authenticated else []
    return {
        "request": request,
        "csrf_token": context.get("csrf_token"),
        "path": request.path,
        "query": query,
        "views": views,
        "current": next((view for view in views if view.query == query), None),
    }
