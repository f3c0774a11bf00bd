"""The last change, shown next to an object's settings. `{% load settings_pages %}`."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context

from poolsite import access
from poolsite.access.auditing import describe_thing
from poolsite.access.models import AuditEntry
from poolsite.console import sentences
from poolsite.console.pages import principal_of

register = template.Library()

LOOKED_THROUGH = 20  # entries; an older change of the settings is only in the history


@register.inclusion_tag("components/last_changed.html", takes_context=True)
def last_changed(context: Context, thing: Any) -> dict[str, Any]:
    """Return the newest change of the object's settings: who, when, what; or {}.

    Also return {} for a reader who may not read the object's history.
    """
    principal = principal_of(context["request"])
    if thing is None or not access.decide(principal, "access.history_view", thing).allowed:
        return {}
    described = describe_thing(thing)
    where = {name: described[name] for name in ("thing_kind", "thing_id")}
    newest = AuditEntry.objects.filter(**where).order_by("-pk")[:LOOKED_THROUGH]
    entry = next((each for each in newest if each.action.endswith("_configure")), None)
    if entry is None:
        return {}
    reading = sentences.Reading(entry)
    return {
        "entry": entry,
        "who": sentences.actor_words(entry, reading),
        "changes": sentences.said(reading).changes,
        "history": urlencode(where),
    }
