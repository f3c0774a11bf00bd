"""The forms on every managed object's page: its tags, its notes, and undo in the history."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from poolsite import access
from poolsite.access.confirming import require_confirmed
from poolsite.access.models import AuditEntry
from poolsite.console import managed, undoing
from poolsite.console.pages import principal_of
from poolsite.console.verbs import carry_out
from poolsite.operations import tags_and_notes
from poolsite.operations.models import Note

PLACE = "#tags-and-notes"


@require_POST
def set_tags(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """Set the tags of an object, given as text with commas."""
    found, thing = _changed(request, kind, slug)
    words = request.POST.get("tags", "").replace("，", ",").split(",")
    try:
        tags_and_notes.set_tags(thing, words, actor=principal_of(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, _("Tags saved."))
    return _back(request, found, thing)


@require_POST
def add_note(request: HttpRequest, kind: str, slug: str) -> HttpResponse:
    """Add a note."""
    found, thing = _changed(request, kind, slug)
    try:
        tags_and_notes.add_note(thing, request.POST.get("text", ""), actor=principal_of(request))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, _("Note added."))
    return _back(request, found, thing)


@require_POST
def remove_note(request: HttpRequest, kind: str, slug: str, note_id: int) -> HttpResponse:
    """Remove a note. After a second click the note isn't found."""
    found, thing = _changed(request, kind, slug)
    note = Note.objects.filter(pk=note_id, kind=kind, thing=slug).first()
    if note is None:
        raise access.Hidden
    tags_and_notes.remove_note(note, thing, actor=principal_of(request))
    messages.success(request, _("Note removed. Its text stays in the history."))
    return _back(request, found, thing)


@require_POST
def undo(request: HttpRequest, entry_id: int) -> HttpResponse:
    """Restore settings to their values before an entry of the history."""
    principal = principal_of(request)
    entry = AuditEntry.objects.filter(pk=entry_id).first()
    if entry is None:
        access.require(principal, "access.history_view")
        raise access.Hidden
    if undoing.gives_access(entry):
        require_confirmed(request)

    def take_back() -> str:
        words = _("%(name)s was restored to its earlier settings. The history records this, too.")
        return words % {"name": undoing.undo(entry, actor=principal)}

    carry_out(request, take_back)
    return redirect(_page_of(request) or "access:history")


def _back(request: HttpRequest, found: managed.ManagedKind, thing: Any) -> HttpResponse:
    """Redirect to the page with the form if it is on this site, else to the object's page."""
    return redirect((_page_of(request) or found.url(thing)) + PLACE)


def _page_of(request: HttpRequest) -> str:
    """Return the page with the form, or "" if it isn't on this site."""
    page = request.POST.get("back", "")
    ours = page.startswith("/") and url_has_allowed_host_and_scheme(page, allowed_hosts=None)
    return page if ours else ""


def _changed(request: HttpRequest, kind: str, slug: str) -> tuple[managed.ManagedKind, Any]:
    """Return the object if the user may change its tags and notes."""
    found, thing = managed.find(kind, slug)
    access.require(principal_of(request), found.change, thing)
    return found, thing
