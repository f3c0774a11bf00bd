"""The API of the addresses that get emails about an account's balance and top-ups."""

from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import BaseModel

from billing.api.common import Id, Slug, money_of
from billing.selectors.recharges import recipients_of
from billing.services.alert_recipients import recipient_add
from poolsite.api.fields import Email
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.reading import STRICT
from poolsite.api.root import ProblemError
from poolsite.operations.api.recipients import AlertRecipientOut, recipient_out
from poolsite.operations.services import delete_target

router = Router(tags=["payments"])


class AccountRecipientIn(BaseModel):
    """A new recipient of an account's alerts."""

    model_config = STRICT

    address: Email


@router.get(
    "/{slug}/alert-recipients",
    response={200: Page[AlertRecipientOut]},
    summary="List the account's alert recipients",
)
def list_account_recipients(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The addresses that get emails about low balance, failed top-ups and other incidents."""
    _principal, wallet = money_of(request, slug, "billing.pay")
    return page(request, asked, recipients_of(wallet), recipient_out)


@router.post(
    "/{slug}/alert-recipients",
    response={201: AlertRecipientOut},
    summary="Add an alert recipient to the account",
)
def add_account_recipient(request: HttpRequest, given: AccountRecipientIn, slug: str = Slug) -> Any:
    """Email the account's incidents to an address. An account can have 10 active recipients."""
    principal, wallet = money_of(request, slug, "billing.pay")
    return Status(201, recipient_out(recipient_add(wallet, actor=principal, address=given.address)))


@router.delete(
    "/{slug}/alert-recipients/{recipient}",
    response={204: None},
    summary="Remove an alert recipient from the account",
)
def remove_account_recipient(request: HttpRequest, slug: str = Slug, recipient: int = Id) -> Any:
    """Stop sending emails to the address."""
    principal, wallet = money_of(request, slug, "billing.pay")
    found = recipients_of(wallet).filter(pk=recipient).first()
    if found is None:
        raise ProblemError("unknown-recipient", "recipient not found")
    delete_target(found, actor=principal)
    return Status(204, None)
