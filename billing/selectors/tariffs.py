"""Tariffs, chatbots and templates, for pages and for pricing. Tenant-safe."""

from datetime import datetime

from django.apps import apps
from django.db.models import Q, QuerySet
from django.utils import timezone

from billing.models import Chatbot, Tariff, Template, Wallet
from billing.pricing.content import content_of
from billing.pricing.modes import ends_of
from billing.pricing.quotes import quote
from billing.pricing.tariff import Prices, read_prices
from billing.wallet import Quote
from poolsite import access
from poolsite.access import Principal
from poolsite.access.models import Account


def tariff_list(principal: Principal, owner: Account | Wallet) -> QuerySet[Tariff]:
    """Return the tariffs of an account, or of a wallet's account, the newest first.

    Raise the refusal (Hidden or Forbidden) if the principal may not see it.
    """
    access.require(principal, "billing.view", owner)
    return Tariff.objects.filter(account=owner.account_id).order_by("-valid_from")


def tariffs_to_copy(principal: Principal, owner: Account, most: int) -> QuerySet[Tariff]:
    """Return the tariffs valid now in other accounts that the user may see, by account name."""
    now = timezone.now()
    rows = Tariff.objects.select_related("account").exclude(account=owner)
    rows = rows.filter(Q(valid_until=None) | Q(valid_until__gt=now), valid_from__lte=now)
    return access.visible(
        rows, principal, "billing.view", slug_field="account__slug", kind="wallet"
    ).order_by("account__name")[:most]


def tariff_to_copy(principal: Principal, pk: int) -> Tariff:
    """Return a tariff whose prices the user may copy.

    Raise Hidden if it is missing or belongs to an account that the user may not see.
    """
    rows = access.visible(
        Tariff.objects.all(), principal, "billing.view", slug_field="account__slug", kind="wallet"
    )
    found = rows.filter(pk=pk).first()
    if found is None:
        raise access.Hidden("billing.view")
    return found


def tariff_before(account_id: int, at: datetime) -> Tariff | None:
    """Return the newest tariff that begins before a moment, or None."""
    rows = Tariff.objects.filter(account_id=account_id, valid_from__lt=at)
    return rows.order_by("-valid_from").first()


def tariff_at(account_id: int, at: datetime | None = None) -> Tariff | None:
    """Return the tariff that is valid at a moment (default: now), or None."""
    moment = at or timezone.now()
    rows = Tariff.objects.filter(account_id=account_id, valid_from__lte=moment)
    return rows.filter(Q(valid_until=None) | Q(valid_until__gt=moment)).first()


def call_intervals(account_id: int) -> tuple[int, ...]:
    """Return the charge intervals, in seconds, of the account's charged pools, rising.

    Without such a pool, return the interval that a new pool has.
    """
    pool = apps.get_model("numbers", "Pool")
    rows = pool.objects.filter(account=account_id, charged=True).order_by()
    found = rows.values_list("charge_interval_seconds", flat=True).distinct()
    return tuple(sorted(found)) or (pool._meta.get_field("charge_interval_seconds").default,)


def prices_of(tariff: Tariff) -> Prices:
    """Return a tariff's prices as values."""
    return read_prices(tariff.prices)


def quotes_of(template: Template, tariff: Tariff) -> dict[bool, Quote]:
    """Return the quotes of a template's message, by whether the terminal supports Yuexin.

    Raise PriceError if the tariff has no price for one of the modes in which it can end.
    """
    prices, content = prices_of(tariff), content_of(template)
    return {
        yuexin: quote(
            prices,
            tariff.pk,
            ends_of(template.native_kind, "yuexin" if yuexin else "video"),
            content,
        )
        for yuexin in (True, False)
    }


def chatbot_list(principal: Principal, *, archived: bool = False) -> QuerySet[Chatbot]:
    """Return the chatbots of every account that the user may see."""
    rows = Chatbot.objects.select_related("account", "token")
    if not archived:
        rows = rows.filter(archived_at=None)
    return access.visible(
        rows, principal, "billing.view", slug_field="account__slug", kind="wallet"
    )


def template_list(principal: Principal, *, archived: bool = False) -> QuerySet[Template]:
    """Return the templates of every account that the user may see."""
    rows = Template.objects.select_related("chatbot__account")
    rows = rows.filter(chatbot__in=chatbot_list(principal, archived=True))
    return rows if archived else rows.filter(archived_at=None)
