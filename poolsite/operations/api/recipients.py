"""Alert recipients in the API: the addresses that are emailed about incidents."""

from typing import Any, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import BaseModel, Field

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.fields import Email, Slug40
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_in_path
from poolsite.api.reading import LINE, STRICT
from poolsite.api.root import ProblemError
from poolsite.operations import services
from poolsite.operations.api.common import account_named
from poolsite.operations.models import NoticeTarget

router = Router(tags=["incidents"])
VIEW, CHANGE = "operations.incidents", "operations.targets_change"
RecipientId = id_in_path("The recipient's ID.")
WARNINGS: Final = "Whether warnings are sent, too. Critical incidents always are."
ACTIVE: Final = "Whether anything is sent."


class AlertRecipientsIn(PageIn):
    """Filters of the list of alert recipients."""

    account: Slug40 | None = Field(None, description="The account's slug.")
    active: bool | None = None


class AlertRecipientIn(BaseModel):
    """A new alert recipient."""

    model_config = STRICT

    address: Email = Field(description="An email address.")
    account: Slug40 | None = Field(
        None, description="Omit it for a recipient of the platform, who gets all alerts."
    )
    warnings: bool = Field(True, description=WARNINGS)
    active: bool = Field(True, description=ACTIVE)


class AlertRecipientChangeIn(BaseModel):
    """Changes to an alert recipient. Omitted fields keep their value."""

    model_config = STRICT

    address: Email | None = None
    account: Slug40 | None = Field(None, description="Null: a recipient of the platform.")
    warnings: bool | None = Field(None, description=WARNINGS)
    active: bool | None = Field(None, description=ACTIVE)
    reason: str = Field("", max_length=200, pattern=LINE, description="Kept in the audit log.")


class AlertRecipientOut(BaseModel):
    """An address that gets emails about incidents."""

    id: int
    address: str
    account: str | None = Field(description="Null: the platform's.")
    warnings: bool = Field(description=WARNINGS)
    active: bool = Field(description=ACTIVE)
    created_at: str


@router.get("", response={200: Page[AlertRecipientOut]}, summary="List alert recipients")
def list_alert_recipients(request: HttpRequest, asked: Query[AlertRecipientsIn]) -> Any:
    """The recipients for incidents that you can view, newest first."""
    principal = principal_of_request(request)
    access.require(principal, VIEW)
    exact = {"account__slug": asked.account, "active": asked.active}
    rows = access.visible(_rows(), principal, VIEW).filter(
        **{name: value for name, value in exact.items() if value is not None}
    )
    return page(request, asked, rows, recipient_out)


@router.post("", response={201: AlertRecipientOut}, summary="Add an alert recipient")
def add_alert_recipient(request: HttpRequest, given: AlertRecipientIn) -> Any:
    """Email incidents of an account, or of the whole platform, to an address."""
    principal = principal_of_request(request)
    account = account_named(principal, given.account, CHANGE, NoticeTarget)
    target = NoticeTarget(**given.model_dump(exclude={"account"}), account=account)
    target.full_clean()
    return Status(201, recipient_out(services.save_target(target, actor=principal)))


@router.get("/{recipient}", response={200: AlertRecipientOut}, summary="Get an alert recipient")
def get_alert_recipient(request: HttpRequest, recipient: int = RecipientId) -> Any:
    """An address and the incidents it is emailed about."""
    return recipient_out(_recipient(request, recipient, VIEW))


@router.patch(
    "/{recipient}", response={200: AlertRecipientOut}, summary="Change an alert recipient"
)
def change_alert_recipient(
    request: HttpRequest, given: AlertRecipientChangeIn, recipient: int = RecipientId
) -> Any:
    """Change the address, or which incidents it is emailed about."""
    principal = principal_of_request(request)
    target = _recipient(request, recipient, CHANGE)
    values = given.model_dump(exclude_none=True)
    if "account" in given.model_fields_set:
        values["account"] = account_named(principal, given.account, CHANGE, NoticeTarget)
    return recipient_out(services.change_target(target=target, actor=principal, **values))


@router.delete("/{recipient}", response={204: None}, summary="Remove an alert recipient")
def remove_alert_recipient(request: HttpRequest, recipient: int = RecipientId) -> Any:
    """Stop all emails to the address, including those that are waiting to be sent."""
    services.delete_target(
        _recipient(request, recipient, CHANGE), actor=principal_of_request(request)
    )
    return Status(204, None)


def recipient_out(target: NoticeTarget) -> AlertRecipientOut:
    """Return a recipient as the API shows it."""
    return AlertRecipientOut(
        **{name: getattr(target, name) for name in ("address", "warnings", "active")},
        id=target.pk,
        account=target.account.slug if target.account else None,
        created_at=target.created_at.isoformat(),
    )


def _rows() -> QuerySet[NoticeTarget]:
    return NoticeTarget.objects.select_related("account")


def _recipient(request: HttpRequest, key: int, action: str) -> NoticeTarget:
    """Return the recipient if the caller may do `action` to it.

    A recipient of another account is reported as not found.
    """
    principal = principal_of_request(request)
    access.require(principal, action)
    try:
        return access.require_one(_rows().filter(pk=key), principal, action)
    except access.Hidden:
        raise ProblemError("unknown-recipient", "recipient not found") from None
