"""Campaigns: drafts, recipients, estimates, and the steps of sending."""

from collections.abc import Callable
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Status

from billing.api.campaigns_out import campaign_out, detail_out, recipient_out
from billing.api.common import Id, Slug, money_of, wallet_of
from billing.models import Campaign, DroppedRow, Template, Wallet
from billing.money import plain
from billing.schemas_common import MoneyReasonIn
from billing.schemas_sending import (
    CampaignChangeIn,
    CampaignDetailOut,
    CampaignIn,
    CampaignOut,
    CampaignsIn,
    DroppedOut,
    EstimateOut,
    NumberIn,
    RecipientsIn,
    RecipientsOut,
    ResultsIn,
    TestSendOut,
)
from billing.selectors.campaigns import ResultQuery
from billing.selectors.campaigns_estimate import estimate_of
from billing.services import campaigns as services
from billing.services.campaigns_test_send import campaign_test_send
from billing.services.campaigns_upload import recipients_upload
from poolsite.access import Principal
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.paths import id_of
from poolsite.api.root import ProblemError

router = Router(tags=["campaigns"])
SEND = "billing.send"
CHANGED = ("name", "template", "scheduled_at", "quiet_from", "quiet_until")
FILE = "recipients.csv"
_ONE = "/{slug}/campaigns/{campaign}"


@router.get("/{slug}/campaigns", response={200: Page[CampaignOut]}, summary="List campaigns")
def list_campaigns(request: HttpRequest, asked: Query[CampaignsIn], slug: str = Slug) -> Any:
    """The account's campaigns, newest first."""
    rows = _campaigns(wallet_of(request, slug)[1])
    if asked.q:
        rows = rows.filter(name__istartswith=asked.q)
    if asked.state:
        rows = rows.filter(status=asked.state)
    return page(request, asked, rows, campaign_out)


@router.post("/{slug}/campaigns", response={201: CampaignDetailOut}, summary="Create a campaign")
def create_campaign(request: HttpRequest, given: CampaignIn, slug: str = Slug) -> Any:
    """Create a draft. A worker reads the recipients; `reading` is true until it is done."""
    principal, wallet = wallet_of(request, slug, SEND)
    template = _template(wallet, given.template)
    with transaction.atomic():
        made = services.campaign_create(
            actor=principal, wallet=wallet, template=template, name=given.name
        )
        if given.recipients is not None:
            _upload(principal, made, given.recipients)
    return Status(201, detail_out(_campaigns(wallet).get(pk=made.pk)))


@router.get(_ONE, response={200: CampaignDetailOut}, summary="Get a campaign")
def get_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """A campaign and its figures."""
    return detail_out(_own(wallet_of(request, slug)[1], campaign))


@router.patch(_ONE, response={200: CampaignDetailOut}, summary="Change a campaign")
def change_campaign(
    request: HttpRequest, given: CampaignChangeIn, slug: str = Slug, campaign: int = Id
) -> Any:
    """Change a draft's name, template, time or quiet hours."""
    principal, found = _sender(request, slug, campaign)
    values = {name: getattr(found, name) for name in CHANGED}
    values |= {name: getattr(given, name) for name in given.model_fields_set}
    for name in ("name", "template"):
        values[name] = getattr(found, name) if values[name] is None else values[name]
    if isinstance(values["template"], int):
        values["template"] = _template(found.wallet, values["template"])
    return detail_out(services.campaign_change(actor=principal, campaign=found, **values))


@router.delete(_ONE, response={204: None}, summary="Delete a campaign")
def delete_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """Delete a draft and its recipients."""
    principal, found = _sender(request, slug, campaign)
    services.campaign_delete(actor=principal, campaign=found)
    return Status(204, None)


@router.post(
    _ONE + "/recipients", response={200: CampaignDetailOut}, summary="Replace the recipients"
)
def replace_recipients(
    request: HttpRequest, given: RecipientsIn, slug: str = Slug, campaign: int = Id
) -> Any:
    """Replace a draft's recipients. A worker reads them; `reading` is true until it is done."""
    principal, found = _sender(request, slug, campaign)
    _upload(principal, found, given.recipients)
    return detail_out(_own(found.wallet, campaign))


@router.get(_ONE + "/recipients", response={200: RecipientsOut}, summary="List recipients")
def list_recipients(
    request: HttpRequest, asked: Query[ResultsIn], slug: str = Slug, campaign: int = Id
) -> Any:
    """A campaign's recipients in the order of the file, and what became of their messages."""
    found = _own(wallet_of(request, slug)[1], campaign)
    rows, following = ResultQuery(asked.state, asked.after).page(found)
    return RecipientsOut(data=[recipient_out(row) for row in rows], next=following or None)


@router.get(_ONE + "/dropped-rows", response={200: Page[DroppedOut]}, summary="List dropped rows")
def list_dropped_rows(
    request: HttpRequest, asked: Query[PageIn], slug: str = Slug, campaign: int = Id
) -> Any:
    """The rows of the file that are skipped, and why."""
    found = _own(wallet_of(request, slug)[1], campaign)
    rows = DroppedRow.objects.filter(campaign=found)
    return page(request, asked, rows, _dropped, oldest_first=True)


@router.get(_ONE + "/estimate", response={200: EstimateOut}, summary="Estimate the cost")
def estimate_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """What a campaign will cost by the tariff that is valid when it is sent."""
    estimate = estimate_of(_own(wallet_of(request, slug)[1], campaign))
    return EstimateOut(
        recipients=estimate.recipients,
        least=plain(estimate.least),
        most=plain(estimate.most),
        spendable=plain(estimate.spendable),
        missing=plain(estimate.missing),
        covers=estimate.covers,
        problem=estimate.problem,
    )


@router.post(_ONE + "/test-send", response={200: TestSendOut}, summary="Send a test message")
def send_test_message(
    request: HttpRequest, given: NumberIn, slug: str = Slug, campaign: int = Id
) -> Any:
    """Send the campaign's template to one number now. The message is charged."""
    principal, found = _sender(request, slug, campaign)
    sent = campaign_test_send(actor=principal, campaign=found, number=given.number)
    return TestSendOut(
        message_id=sent.intent.message_id,
        number=sent.recipient.number,
        held=plain(sent.intent.quoted),
    )


@router.post(_ONE + "/send", response={200: CampaignDetailOut}, summary="Send a campaign")
def send_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """Start sending, or wait for `scheduled_at` or the end of the quiet hours."""
    return _step(request, slug, campaign, services.campaign_send)


@router.post(_ONE + "/pause", response={200: CampaignDetailOut}, summary="Pause a campaign")
def pause_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """Stop sending. Messages already submitted are not affected."""
    return _step(request, slug, campaign, services.campaign_pause)


@router.post(_ONE + "/resume", response={200: CampaignDetailOut}, summary="Resume a campaign")
def resume_campaign(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """Continue sending."""
    return _step(request, slug, campaign, services.campaign_resume)


@router.post(_ONE + "/cancel", response={200: CampaignDetailOut}, summary="Cancel a campaign")
def cancel_campaign(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, campaign: int = Id
) -> Any:
    """Stop sending permanently. Messages already submitted are not affected."""
    return _step(request, slug, campaign, services.campaign_cancel, reason=given.reason)


@router.post(
    _ONE + "/await-top-up", response={200: CampaignDetailOut}, summary="Resume after a top-up"
)
def await_top_up(request: HttpRequest, slug: str = Slug, campaign: int = Id) -> Any:
    """Resume the campaign automatically after the next top-up. Its balance must be too low."""
    _sender(request, slug, campaign)
    money_of(request, slug, "billing.pay")
    return _step(request, slug, campaign, services.campaign_await_top_up)


def _step(
    request: HttpRequest, slug: str, key: int, step: Callable[..., Campaign], **given: str
) -> CampaignDetailOut:
    principal, found = _sender(request, slug, key)
    step(actor=principal, campaign=found, **given)
    return detail_out(_own(found.wallet, key))


def _sender(request: HttpRequest, slug: str, key: int) -> tuple[Principal, Campaign]:
    principal, wallet = wallet_of(request, slug, SEND)
    return principal, _own(wallet, key)


def _own(wallet: Wallet, key: int) -> Campaign:
    found = _campaigns(wallet).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-campaign", "campaign not found")
    return found


def _campaigns(wallet: Wallet) -> QuerySet[Campaign]:
    rows = Campaign.objects.filter(wallet=wallet)
    return rows.select_related("wallet__account", "template__chatbot", "chatbot", "job")


def _template(wallet: Wallet, key: int) -> Template:
    rows = Template.objects.select_related("chatbot__account")
    rows = rows.filter(chatbot__account_id=wallet.account_id)
    found = rows.filter(pk=id_of(key)).first()
    if found is None:
        raise ProblemError("unknown-template", "template not found")
    return found


def _upload(principal: Principal, campaign: Campaign, text: str) -> None:
    recipients_upload(
        actor=principal, campaign=campaign, file_name=FILE, data=[text.encode("utf-8", "replace")]
    )


def _dropped(row: DroppedRow) -> DroppedOut:
    code = row.why.partition(":")[0]
    return DroppedOut(row=row.row, text=row.raw, why=code, reason=row.reason)
