"""Routes that list, create and set up desks."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http import HttpRequest
from ninja import Query, Router, Status

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.models import Account
from poolsite.api.pages import Page, page
from poolsite.console.setting_options import values_of
from queueing.line.api.credentials import AtDesk, AtDesks, desk_of_request
from queueing.line.api.desk_schemas import (
    DeskChangeIn,
    DeskFullOut,
    DeskIn,
    DeskOut,
    DesksIn,
    WidgetChangeIn,
    WidgetSettings,
)
from queueing.line.api.desks import Slug
from queueing.line.models import Desk
from queueing.line.origins import read_origin
from queueing.line.selectors.desks import DeskRow, desk_rows
from queueing.line.selectors.widgets import widget_of
from queueing.line.services import desk_settings
from queueing.line.services import desks as use
from queueing.line.services import widgets as widget_use

setup = Router(tags=["desk-setup"])
VIEW, CONFIGURE = AtDesk("line.view"), AtDesk("line.configure")


@setup.get("", auth=AtDesks("line.view"), response={200: Page[DeskOut]}, summary="List desks")
def list_desks(request: HttpRequest, asked: Query[DesksIn]) -> Any:
    """The desks that the credential can access, newest first."""
    principal = principal_of_request(request)
    rows = access.visible(Desk.objects.select_related("account"), principal, "line.view")
    if asked.account:
        rows = rows.filter(account__slug=asked.account)
    if asked.q:
        rows = rows.filter(Q(name__icontains=asked.q) | Q(slug__icontains=asked.q))
    found = page(request, asked, rows, lambda desk: desk)
    return {"data": [_desk_out(row) for row in desk_rows(found.data)], "next": found.next}


@setup.post("", auth=AtDesks("line.create"), response={201: DeskFullOut}, summary="Create a desk")
def create_desk(request: HttpRequest, given: DeskIn) -> Any:
    """Create a desk. Create its queues and add agents next."""
    principal = principal_of_request(request)
    settings = given.model_dump(exclude_unset=True, exclude={"account"})
    desk = use.desk_create(actor=principal, account=_account(given.account), **settings)
    return Status(201, _full_out(request, desk))


@setup.get("/{slug}", auth=VIEW, response={200: DeskFullOut}, summary="Get a desk")
def get_desk(request: HttpRequest, slug: str = Slug) -> Any:
    """The desk with its current figures and settings."""
    return _full_out(request, desk_of_request(request))


@setup.patch("/{slug}", auth=CONFIGURE, response={200: DeskFullOut}, summary="Change a desk")
def change_desk(request: HttpRequest, given: DeskChangeIn, slug: str = Slug) -> Any:
    """Change some of the desk's settings."""
    changes = given.model_dump(exclude_unset=True)
    desk = desk_settings.desk_configure(
        actor=principal_of_request(request), desk=desk_of_request(request), **changes
    )
    return _full_out(request, desk)


@setup.get(
    "/{slug}/widget", auth=CONFIGURE, response={200: WidgetSettings}, summary="Get a chat widget"
)
def get_widget(request: HttpRequest, slug: str = Slug) -> Any:
    """The settings of the chat that other sites show."""
    return values_of(widget_of(desk_of_request(request)), widget_use.SETTINGS)


@setup.patch(
    "/{slug}/widget",
    auth=CONFIGURE,
    response={200: WidgetSettings},
    summary="Change a chat widget",
)
def change_widget(request: HttpRequest, given: WidgetChangeIn, slug: str = Slug) -> Any:
    """Change some of the widget's settings. Pages that are opened from now on use them."""
    changes = given.model_dump(exclude_unset=True)
    if "origins" in changes:
        changes["origins"] = list(dict.fromkeys(map(read_origin, changes["origins"])))
    widget = widget_use.widget_configure(
        actor=principal_of_request(request), desk=desk_of_request(request), **changes
    )
    return values_of(widget, widget_use.SETTINGS)


def _account(slug: str | None) -> Account | None:
    if slug is None:
        return None
    found = Account.objects.filter(slug=slug).first()
    if found is None:
        raise ValidationError(f"account: {slug} not found")
    return found


def _desk_out(row: DeskRow) -> dict[str, Any]:
    account = row.desk.account
    return {
        "slug": row.desk.slug,
        "name": row.desk.name,
        "account": account.slug if account is not None else None,
        "status": row.status,
        "queues": row.queues,
        "waiting": row.waiting,
        "longest_seconds": row.longest_seconds,
        "free": row.free,
    }


def _full_out(request: HttpRequest, desk: Desk) -> dict[str, Any]:
    may = access.decide(principal_of_request(request), "line.configure", desk).allowed
    settings = values_of(desk, desk_settings.SETTINGS) if may else None
    return {**_desk_out(desk_rows([desk])[0]), "settings": settings}
