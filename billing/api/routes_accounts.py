"""Accounts with a balance: the list, one account's figures, settings and state."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Query, Router, Status

from billing.api.common import Slug, money_of, units_of, wallet_of
from billing.api.routes_paying import adjustment_out
from billing.models import Wallet
from billing.money import plain
from billing.schemas_accounts import (
    AccountOut,
    CreditLimitIn,
    CreditLimitOut,
    RebuiltOut,
    WalletSettingsIn,
    WalletSettingsOut,
    WalletsIn,
)
from billing.schemas_common import MoneyNoteIn, MoneyReasonIn
from billing.selectors import figures
from billing.selectors.recharges import method_of
from billing.selectors.wallets import WalletQuery
from billing.services import wallets
from billing.services.credit_limits import credit_limit_ask
from billing.services.payment_methods import method_remove
from billing.services.rebuilding import NotRebuiltError
from billing.services.rebuilding_drill import wallet_rebuild
from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.models import Account
from poolsite.api.pages import Page, page
from poolsite.api.root import ProblemError

router = Router(tags=["billing"])
MONEY = ("daily_limit", "alert_below", "top_up_below", "top_up_amount")


@router.get("", response={200: Page[AccountOut]}, summary="List accounts")
def list_wallets(request: HttpRequest, asked: Query[WalletsIn]) -> Any:
    """The accounts with a balance that the credential can access, newest first."""
    principal = principal_of_request(request)
    access.require(principal, "billing.view")
    rows = WalletQuery(asked.q, asked.state).rows(principal)
    found: Page[Wallet] = page(request, asked, rows, lambda wallet: wallet)
    now = figures.of_all(found.data)
    return Page(data=[_account(each, now[each.slug]) for each in found.data], next=found.next)


@router.get("/{slug}", response={200: AccountOut}, summary="Get an account")
def get_wallet(request: HttpRequest, slug: str = Slug) -> Any:
    """The account and its current figures."""
    return _now(wallet_of(request, slug)[1])


@router.post("/{slug}/open", response={200: AccountOut}, summary="Open a balance")
def open_wallet(request: HttpRequest, slug: str = Slug) -> Any:
    """Give an account its balance. If it has one, nothing changes.

    Requires an operator with the grant `finance`.
    """
    principal = principal_of_request(request)
    account = Account.objects.filter(slug=slug).first()
    try:
        access.require(principal, "billing.finance", account)
    except access.Hidden:
        raise ProblemError("unknown-account", "account not found") from None
    except access.FactorNeeded:
        raise ProblemError("second-factor", "prove your second factor again") from None
    if account is None:
        raise ProblemError("unknown-account", "account not found")
    return _now(wallets.wallet_open(account, principal))


@router.post("/{slug}/freeze", response={200: AccountOut}, summary="Freeze an account")
def freeze_wallet(request: HttpRequest, given: MoneyReasonIn, slug: str = Slug) -> Any:
    """Refuse new messages. Open messages are still settled, and money can come in.

    Requires an operator with the grant `finance`.
    """
    return _set_status(request, slug, wallets.wallet_freeze, given.reason)


@router.post("/{slug}/unfreeze", response={200: AccountOut}, summary="Unfreeze an account")
def unfreeze_wallet(request: HttpRequest, given: MoneyReasonIn, slug: str = Slug) -> Any:
    """Accept new messages again. Requires an operator with the grant `finance`."""
    return _set_status(request, slug, wallets.wallet_unfreeze, given.reason)


@router.post("/{slug}/close", response={200: AccountOut}, summary="Close an account")
def close_wallet(request: HttpRequest, given: MoneyReasonIn, slug: str = Slug) -> Any:
    """Close an account permanently: no messages, no top-ups. The balance can be paid out.

    Requires an operator with the grant `finance`.
    """
    return _set_status(request, slug, wallets.wallet_close, given.reason)


@router.post("/{slug}/rebuild", response={200: RebuiltOut}, summary="Rebuild the live data")
def rebuild_wallet(request: HttpRequest, given: MoneyReasonIn, slug: str = Slug) -> Any:
    """Delete the account's data in Redis and rebuild it from the books.

    Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, "billing.finance")
    try:
        done = wallet_rebuild(wallet, reason=given.reason, actor=principal)
    except NotRebuiltError as error:
        raise ValidationError(str(error)) from None
    return {
        "seconds": round(done.seconds, 3),
        "messages": done.loaded.messages,
        "difference": plain(done.difference or 0),
        "held_difference": plain(done.held_difference or 0),
    }


@router.post(
    "/{slug}/credit-limit", response={200: CreditLimitOut}, summary="Change the credit limit"
)
def set_credit_limit(request: HttpRequest, given: CreditLimitIn, slug: str = Slug) -> Any:
    """Set how far the balance can go below zero.

    A lower limit applies at once. A higher one waits until another operator approves the adjustment
    in `waiting`. Requires an operator with the grant `finance`.
    """
    principal, wallet = money_of(request, slug, "billing.finance")
    waiting = credit_limit_ask(
        wallet,
        actor=principal,
        amount=units_of(given.amount),
        reason=given.reason,
        token=given.token or uuid4(),
    )
    wallet.refresh_from_db()
    return CreditLimitOut(
        credit_limit=plain(wallet.credit_limit),
        waiting=adjustment_out(waiting) if waiting is not None else None,
    )


@router.get("/{slug}/settings", response={200: WalletSettingsOut}, summary="Get the settings")
def get_wallet_settings(request: HttpRequest, slug: str = Slug) -> Any:
    """The account's limits, alerts and automatic top-ups."""
    return _settings(money_of(request, slug, "billing.pay")[1])


@router.patch("/{slug}/settings", response={200: WalletSettingsOut}, summary="Change the settings")
def change_wallet_settings(request: HttpRequest, given: WalletSettingsIn, slug: str = Slug) -> Any:
    """Change limits, alerts and automatic top-ups. They apply to the next message."""
    principal, wallet = money_of(request, slug, "billing.pay")
    told = given.model_dump(exclude={"reason"}, exclude_none=True)
    values = {name: units_of(value) if name in MONEY else value for name, value in told.items()}
    return _settings(
        wallets.wallet_configure(wallet, actor=principal, reason=given.reason, **values)
    )


@router.post(
    "/{slug}/payment-method/remove", response={204: None}, summary="Remove the payment method"
)
def remove_payment_method(request: HttpRequest, given: MoneyNoteIn, slug: str = Slug) -> Any:
    """Delete the saved payment method. Automatic top-ups stop with it."""
    principal, wallet = money_of(request, slug, "billing.pay")
    method = method_of(wallet)
    if method is not None:
        method_remove(method, actor=principal)
    return Status(204, None)


def _set_status(
    request: HttpRequest, slug: str, change: Callable[..., Wallet], reason: str
) -> AccountOut:
    principal, wallet = money_of(request, slug, "billing.finance")
    return _now(change(wallet, actor=principal, reason=reason))


def _now(wallet: Wallet) -> AccountOut:
    return _account(wallet, figures.of(wallet))


def _account(wallet: Wallet, now: figures.WalletFigures) -> AccountOut:
    spent = now.spent_today
    return AccountOut(
        account=wallet.slug,
        name=wallet.account.name,
        currency=wallet.account.currency,
        zone=wallet.account.zone,
        status=now.status,  # type: ignore[arg-type]  # one of its choices
        status_reason=wallet.status_reason,
        balance=plain(now.balance),
        credit_limit=plain(now.credit_limit),
        promotional=plain(now.promotional),
        spendable=plain(now.spendable),
        held=plain(now.held),
        receivable=plain(now.receivable),
        spent_today=None if spent is None else plain(spent),
    )


def _settings(wallet: Wallet) -> WalletSettingsOut:
    method = method_of(wallet)
    return WalletSettingsOut(
        **{name: plain(getattr(wallet, name)) for name in MONEY},
        top_up_daily_count=wallet.top_up_daily_count,
        payment_method=method.label if method else "",
    )
