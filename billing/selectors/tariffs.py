"""Tariffs, chatbots and templates, for readers and for pricing. Tenant-safe."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils import timezone

from billing.models import Chatbot, Tariff, Template
from billing.pricing import Prices, read_prices
from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import Account


def tariff_list(principal: Principal, account: Account) -> QuerySet[Tariff]:
    """An account's versions, the newest first. Raises the refusal for a foreign account."""
    access.require(principal, "billing.view", account)
    return Tariff.objects.filter(account=account).order_by("-valid_from")


def tariff_at(account_id: int, at: datetime | None = None) -> Tariff | None:
    """The version that is valid at a moment (now); None = there is none."""
    moment = at or timezone.now()
    rows = Tariff.objects.filter(account_id=account_id, valid_from__lte=moment)
    return rows.filter(Q(valid_until=None) | Q(valid_until__gt=moment)).first()


def prices_of(tariff: Tariff) -> Prices:
    """A version's prices as values."""
    return read_prices(tariff.prices)


def chatbot_list(principal: Principal, *, archived: bool = False) -> QuerySet[Chatbot]:
    """The chatbots of every account that the reader may see."""
    rows = Chatbot.objects.select_related("account", "token")
    if not archived:
        rows = rows.filter(archived_at=None)
    return access.visible(
        rows, principal, "billing.view", slug_field="account__slug", kind="wallet"
    )


def template_list(principal: Principal, *, archived: bool = False) -> QuerySet[Template]:
    """The templates of every account that the reader may see."""
    rows = Template.objects.select_related("chatbot__account")
    rows = rows.filter(chatbot__in=chatbot_list(principal, archived=True))
    return rows if archived else rows.filter(archived_at=None)
