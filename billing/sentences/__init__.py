"""The audit log's sentences about prepaid accounts, prices, campaigns and their senders."""

from collections.abc import Collection, Mapping

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from billing.money import MoneyField
from billing.selectors.campaigns import visible_campaigns
from billing.selectors.wallets import visible_wallets
from billing.sentences import of_invoices, of_money, of_sending
from billing.sentences.kinds import money
from poolsite.access import Principal
from poolsite.console.sentences import HistoryObject, register, register_field_kind, register_object


def register_all() -> None:
    """Register all sentences. Call this once, before the log is first read."""
    register_field_kind(MoneyField, money)
    register(*of_money.sentences(), *of_invoices.sentences(), *of_sending.sentences())
    register_object(
        HistoryObject("wallet", _("Balance"), _pages_of_wallets),
        HistoryObject("campaign", _("Campaign"), _pages_of_campaigns),
        HistoryObject("tariff", _("Tariff")),
        HistoryObject("seller", _("Seller")),
        HistoryObject("taxrate", _("Tax rate")),
        HistoryObject("template", _("Template")),
        HistoryObject("chatbot", _("Chatbot")),
    )


def _pages_of_wallets(reader: Principal, ids: Collection[str]) -> Mapping[str, str]:
    page = "billing:account" if reader.is_operator else "billing:portal"
    rows = visible_wallets(reader).filter(account__slug__in=ids)
    return {row.slug: reverse(page, args=[row.slug]) for row in rows}


def _pages_of_campaigns(reader: Principal, ids: Collection[str]) -> Mapping[str, str]:
    known = [each for each in ids if each.isdecimal()]
    rows = visible_campaigns(reader).filter(pk__in=known).select_related("wallet__account")
    return {
        str(row.pk): reverse("billing:campaign", args=[row.wallet.slug, row.pk]) for row in rows
    }
