"""A user's own saved views of lists in the API."""

from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import BaseModel, Field, StringConstraints

from poolsite.api.callers import person_of
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.reading import LINE, STRICT
from poolsite.api.root import ProblemError
from poolsite.operations import saved_views
from poolsite.operations.models import SavedView

router = Router(tags=["profile"])
ViewId = id_in_path("The view's ID.")
PagePath = Annotated[str, StringConstraints(max_length=200, pattern=LINE)]


class SavedViewsIn(PageIn):
    """Filters of the list of saved views."""

    path: PagePath = Field("", description="Path of the list's page, such as `/incidents/`.")


class SavedViewIn(BaseModel):
    """A view to save."""

    model_config = STRICT

    path: PagePath = Field(description="Path of the list's page, such as `/incidents/`.")
    name: str = Field(min_length=1, max_length=60, pattern=LINE)
    query: str = Field(
        "", max_length=2_000, pattern=LINE, description="Filters and sort order, as in the address."
    )


class SavedViewOut(BaseModel):
    """A saved view of a list."""

    id: int
    path: str
    name: str
    query: str = Field(description="Without empty values and the position in the list.")
    created_at: str


@router.get("", response={200: Page[SavedViewOut]}, summary="List your saved views")
def list_saved_views(request: HttpRequest, asked: Query[SavedViewsIn]) -> Any:
    """Your own saved views, newest first."""
    rows = person_of(request).saved_views.all()
    return page(request, asked, rows.filter(path=asked.path) if asked.path else rows, _out)


@router.post("", response={201: SavedViewOut}, summary="Save a view")
def save_view(request: HttpRequest, given: SavedViewIn) -> Any:
    """Save a list's filters under a name. It replaces your view with the same page and name.

    You can have up to 30 views per page.
    """
    made = saved_views.save_view(user=person_of(request), **given.model_dump())
    return Status(201, _out(made))


@router.delete("/{view}", response={204: None}, summary="Remove a saved view")
def remove_saved_view(request: HttpRequest, view: int = ViewId) -> Any:
    """Remove one of your saved views."""
    found = person_of(request).saved_views.filter(pk=view).first()
    if found is None:
        raise ProblemError("unknown-saved-view", "saved view not found")
    saved_views.delete_view(found)
    return Status(204, None)


def _out(row: SavedView) -> SavedViewOut:
    return SavedViewOut(
        **{name: getattr(row, name) for name in ("path", "name", "query")},
        id=row.pk,
        created_at=row.created_at.isoformat(),
    )
