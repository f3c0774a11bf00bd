"""Tags and notes of managed objects in the API. They work the same for each kind."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from ninja.params import functions as param

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path, slug_in_path
from poolsite.api.root import ProblemError
from poolsite.console import managed
from poolsite.operations import tags_and_notes
from poolsite.operations.api.schemas import NoteIn, NoteOut, TagsIn, TagsOut
from poolsite.operations.models import Note

router = Router(tags=["objects"])
Kind: Any = param.Path(..., pattern=r"^[a-z_]{1,20}$", description="The type, such as `pool`.")
Slug = slug_in_path("The object's slug.")
NoteId = id_in_path("The note's ID.")


@router.get(
    "/{kind}/{slug}/tags",
    response={200: TagsOut},
    summary="Get an object's tags",
)
def get_tags(request: HttpRequest, kind: str = Kind, slug: str = Slug) -> Any:
    """The tags of an account, pool, gate, group, desk or queue."""
    return TagsOut(tags=tags_and_notes.tags_of(_seen(request, kind, slug)))


@router.post(
    "/{kind}/{slug}/tags",
    response={200: TagsOut},
    summary="Set an object's tags",
)
def set_tags(request: HttpRequest, given: TagsIn, kind: str = Kind, slug: str = Slug) -> Any:
    """Replace the tags of an object. Tags that differ only in case are the same tag."""
    found = _changed(request, kind, slug)
    words = tags_and_notes.set_tags(found, given.tags, actor=principal_of_request(request))
    return TagsOut(tags=words)


@router.get(
    "/{kind}/{slug}/notes",
    response={200: Page[NoteOut]},
    summary="List an object's notes",
)
def list_notes(
    request: HttpRequest, asked: Query[PageIn], kind: str = Kind, slug: str = Slug
) -> Any:
    """The notes of an account, pool, gate, group, desk or queue, newest first."""
    found = _seen(request, kind, slug)
    return page(request, asked, Note.objects.filter(kind=kind, thing=found.slug), _out)


@router.post(
    "/{kind}/{slug}/notes",
    response={201: NoteOut},
    summary="Add a note to an object",
)
def add_note(request: HttpRequest, given: NoteIn, kind: str = Kind, slug: str = Slug) -> Any:
    """Add a note. An object can have up to 100."""
    found = _changed(request, kind, slug)
    note = tags_and_notes.add_note(found, given.text, actor=principal_of_request(request))
    return Status(201, _out(note))


@router.post(
    "/{kind}/{slug}/notes/{note}/remove",
    response={204: None},
    summary="Remove a note",
)
def remove_note(
    request: HttpRequest, kind: str = Kind, slug: str = Slug, note: int = NoteId
) -> Any:
    """Remove a note. Its text stays in the audit log."""
    found = _changed(request, kind, slug)
    row = Note.objects.filter(pk=note, kind=kind, thing=slug).first()
    if row is None:
        raise ProblemError("unknown-note", "the object has no note with this ID")
    tags_and_notes.remove_note(row, found, actor=principal_of_request(request))
    return Status(204, None)


def _seen(request: HttpRequest, kind: str, slug: str) -> Any:
    return _found(request, kind, slug, changes=False)


def _changed(request: HttpRequest, kind: str, slug: str) -> Any:
    return _found(request, kind, slug, changes=True)


def _found(request: HttpRequest, kind: str, slug: str, *, changes: bool) -> Any:
    """Return the object if the caller may read or change its tags and notes."""
    try:
        known, row = managed.find(kind, slug)
        action = known.change if changes else known.view
        access.require(principal_of_request(request), action, row)
    except access.Hidden:
        raise ProblemError("unknown-object", "object not found") from None
    return row


def _out(row: Note) -> NoteOut:
    return NoteOut(
        id=row.pk, text=row.text, author=row.author, created_at=row.created_at.isoformat()
    )
