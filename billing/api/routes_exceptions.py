"""The API of opt-outs and of flagged reports, which the rules could not settle."""

from typing import Any
from uuid import uuid4

from django.http import HttpRequest
from ninja import Query, Router, Status

from billing.api.common import Id, Slug, money_of, units_of, wallet_of
from billing.api.routes_paying import adjustment_out
from billing.campaigns.reach import reach
from billing.models import FlaggedReport, OptOut, Wallet
from billing.money import plain
from billing.schemas_common import MoneyReasonIn
from billing.schemas_exceptions import (
    ChargeIn,
    FlaggedIn,
    FlaggedOut,
    OptOutOut,
    OptOutsAddedOut,
    OptOutsAddIn,
    OptOutsIn,
)
from billing.schemas_paying import AdjustmentOut
from billing.selectors.campaigns import opt_outs_of
from billing.selectors.flagged import FlaggedQuery
from billing.services import opt_outs
from billing.services.flagged_reports import flagged_accept, flagged_charge
from poolsite.access import Principal
from poolsite.api.pages import Page, page
from poolsite.api.root import ProblemError

router = Router(tags=["billing"])
SEND = "billing.send"
_REPORT = "/{slug}/flagged-reports/{report}"


@router.get("/{slug}/opt-outs", response={200: Page[OptOutOut]}, summary="List opt-outs")
def list_opt_outs(request: HttpRequest, asked: Query[OptOutsIn], slug: str = Slug) -> Any:
    """The numbers that the account's campaigns are not sent to, newest first."""
    rows = opt_outs_of(wallet_of(request, slug)[1])
    if asked.q:
        rows = rows.filter(number__startswith=reach(asked.q).number or asked.q)
    return page(request, asked, rows, _opt_out)


@router.post("/{slug}/opt-outs", response={201: OptOutsAddedOut}, summary="Add opt-outs")
def add_opt_outs(request: HttpRequest, given: OptOutsAddIn, slug: str = Slug) -> Any:
    """Add up to 1,000 numbers. If one of them is not a phone number, none is added."""
    principal, wallet = wallet_of(request, slug, SEND)
    added = opt_outs.opt_outs_add(
        actor=principal, wallet=wallet, texts=given.numbers, reason=given.reason
    )
    return Status(201, OptOutsAddedOut(added=added))


@router.post("/{slug}/opt-outs/{opt_out}/remove", response={204: None}, summary="Remove an opt-out")
def remove_opt_out(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, opt_out: int = Id
) -> Any:
    """Remove an opt-out, so that campaigns are sent to the number again."""
    principal, wallet = wallet_of(request, slug, SEND)
    found = OptOut.objects.filter(account=wallet.account_id, pk=opt_out).first()
    if found is None:
        raise ProblemError("unknown-opt-out", "opt-out not found")
    opt_outs.opt_out_remove(actor=principal, opt_out=found, reason=given.reason)
    return Status(204, None)


@router.get(
    "/{slug}/flagged-reports", response={200: Page[FlaggedOut]}, summary="List flagged reports"
)
def list_flagged_reports(request: HttpRequest, asked: Query[FlaggedIn], slug: str = Slug) -> Any:
    """Status reports that the rules could not settle, newest first. Requires an operator."""
    principal, wallet = wallet_of(request, slug, "billing.books")
    query = FlaggedQuery(asked.state, asked.flag or "", wallet.slug, asked.q)
    return page(request, asked, query.rows(principal), _flagged)


@router.post(_REPORT + "/accept", response={200: FlaggedOut}, summary="Accept a loss")
def accept_flagged_report(
    request: HttpRequest, given: MoneyReasonIn, slug: str = Slug, report: int = Id
) -> Any:
    """Close a flagged report without a charge. Requires an operator with the grant `finance`."""
    principal, found = _report(request, slug, report)
    flagged_accept(found, actor=principal, reason=given.reason)
    return _flagged(_row(principal, found.wallet, report))


@router.post(_REPORT + "/charge", response={201: AdjustmentOut}, summary="Charge manually")
def charge_flagged_report(
    request: HttpRequest, given: ChargeIn, slug: str = Slug, report: int = Id
) -> Any:
    """Request a manual charge. Another operator's approval charges it and closes the report.

    Requires an operator with the grant `finance`.
    """
    principal, found = _report(request, slug, report)
    made = flagged_charge(
        found,
        actor=principal,
        amount=units_of(given.amount),
        reason=given.reason,
        token=given.token or uuid4(),
    )
    return Status(201, adjustment_out(made))


def _report(request: HttpRequest, slug: str, key: int) -> tuple[Principal, FlaggedReport]:
    principal, wallet = money_of(request, slug, "billing.finance")
    return principal, _row(principal, wallet, key)


def _row(principal: Principal, wallet: Wallet, key: int) -> FlaggedReport:
    found = FlaggedQuery("all", "", wallet.slug).rows(principal).filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-report", "flagged report not found")
    return found


def _opt_out(row: OptOut) -> OptOutOut:
    return OptOutOut(
        id=row.pk,
        number=row.number,
        reason=row.reason,
        added_by=row.added_by,
        created_at=row.created_at,
    )


def _flagged(row: FlaggedReport) -> FlaggedOut:
    return FlaggedOut(
        id=row.pk,
        message_id=row.message_id,
        flag=row.flag,
        reported_mode=row.reported_mode,
        state=row.state,
        difference=plain(row.difference),
        at=row.at,
        waiting=bool(getattr(row, "charge_waits", False)),
        closing=row.closing,
        closed_by=row.closed_by,
        closed_at=row.closed_at,
        closing_reason=row.closing_reason,
    )
