"""Tags and notes of a managed object: `{% tags_and_notes pool %}`, `{% tag_chips row.pool %}`."""

from typing import Any
from urllib.parse import urlencode

from django import template
from django.template import Context

from poolsite import access
from poolsite.access.auditing import describe_thing
from poolsite.console import undoing
from poolsite.console.managed import kind_of, may_see
from poolsite.console.pages import principal_of
from poolsite.operations import tags_and_notes as service

register = template.Library()


@register.inclusion_tag("components/tags_and_notes.html", takes_context=True)
def tags_and_notes(context: Context, thing: Any) -> dict[str, Any]:
    """Return the card's context. It shows nothing if the user may not see the object."""
    principal = principal_of(context["request"])
    kind = kind_of(thing)
    told = describe_thing(thing)
    shown = may_see(principal, kind, thing)
    return {
        "csrf_token": context.get("csrf_token"),
        "shown": shown,
        "may_change": shown and access.decide(principal, kind.change, thing).allowed,
        "may_read_history": access.decide(principal, "access.history_view", thing).allowed,
        "history": urlencode({name: told[name] for name in ("thing_kind", "thing_id")}),
        "back": context["request"].path,
        "kind": kind,
        "thing": thing,
        "tags": service.tags_of(thing) if shown else [],
        "notes": service.notes_of(thing) if shown else [],
        "note_longest": service.NOTE_LONGEST,
    }


@register.inclusion_tag("components/tag_chips.html", takes_context=True)
def tag_chips(context: Context, thing: Any) -> dict[str, Any]:
    """Return the tags of a list's row, each with a link to all rows that have it.

    The view must have loaded them with `tags_and_notes.show_tags`.
    """
    return {"request": context["request"], "tags": getattr(thing, "tag_words", [])}


@register.inclusion_tag("components/tag_filter.html", takes_context=True)
def tag_filter(context: Context) -> dict[str, Any]:
    """Return the tag by which the list is filtered."""
    request = context["request"]
    return {"request": request, "tag": request.GET.get("tag", "")[: service.TAG_LONGEST]}


@register.simple_tag(takes_context=True)
def undo_standing(context: Context, entry: Any) -> undoing.UndoOffer:
    """Return whether the user may undo this entry's change now, and if not, why."""
    return undoing.standing(principal_of(context["request"]), entry)
