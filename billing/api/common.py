"""What billing's routes behind Django share: the principal, the wallet, and amounts as text."""

from typing import Any

from django.http import HttpRequest
from ninja.params import functions as param

from billing import money
from billing.models import Wallet
from billing.selectors.wallets import wallet_get
from poolsite import access
from poolsite.access import Principal, principal_of_request
from poolsite.api.paths import slug_in_path
from poolsite.api.root import ProblemError

Slug = slug_in_path("The account's slug.")
Id: Any = param.Path(..., ge=1, lt=2**63)


def wallet_of(
    request: HttpRequest, slug: str, action: str = "billing.view"
) -> tuple[Principal, Wallet]:
    """Return the principal and the wallet. Another account's wallet is reported as missing."""
    principal = principal_of_request(request)
    try:
        return principal, wallet_get(principal, slug, action)
    except access.Hidden:
        raise ProblemError("unknown-account", "account not found") from None


def money_of(request: HttpRequest, slug: str, action: str) -> tuple[Principal, Wallet]:
    """Like `wallet_of`, for actions that need a second factor: `billing.pay`, `billing.finance`."""
    try:
        return wallet_of(request, slug, action)
    except access.FactorNeeded:
        raise ProblemError("second-factor", "prove your second factor again") from None


def units_of(text: str) -> int:
    """Return the units of an amount in currency units. Raise ProblemError `malformed`."""
    try:
        return money.parse(text)
    except money.MoneyError as error:
        raise ProblemError("malformed", str(error)) from None
