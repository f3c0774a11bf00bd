"""The audit log's sentences about invoices, credit notes, tax profiles, sellers and tax rates."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from billing.invoicing.document import percent as written
from billing.models import CreditNote, Seller, TaxProfile, TaxRate, Treatment
from billing.sentences.kinds import money
from billing.views.invoices_forms import SellerForm, TaxProfileForm
from poolsite.console.sentences import Reading, Sentence, SettingsFields, choice, plain

INVOICES = _("Invoices")


def sentences() -> list[Sentence]:
    """Return all of them."""
    note = {"total": money, "status": choice(CreditNote.Status.choices)}
    rate = {"rate": _percent, "kind": choice(TaxRate.Kind.choices)}
    return [
        Sentence(
            "billing.invoice_issue",
            INVOICES,
            _("%(actor)s issued the invoice %(number)s of %(total)s to %(thing)s"),
            {"total": money, "tax": money},
        ),
        Sentence(
            "billing.credit_ask",
            INVOICES,
            _("%(actor)s requested a credit note for the invoice %(invoice)s of %(thing)s"),
            note,
        ),
        Sentence(
            "billing.credit_issue",
            INVOICES,
            _("%(actor)s issued a credit note for the invoice %(invoice)s of %(thing)s"),
            note,
        ),
        Sentence(
            "billing.credit_reject",
            INVOICES,
            _("%(actor)s rejected a credit note for the invoice %(invoice)s of %(thing)s"),
            note,
        ),
        Sentence(
            "billing.tax_profile_set",
            INVOICES,
            settings=SettingsFields(
                TaxProfile, TaxProfileForm, {"treatment": choice(Treatment.choices)}
            ),
            title=_("Changed the tax profile"),
        ),
        Sentence(
            "billing.seller_set",
            INVOICES,
            settings=SettingsFields(Seller, SellerForm),
            title=_("Changed the seller"),
        ),
        Sentence(
            "billing.tax_rate_create",
            INVOICES,
            _("%(actor)s created the tax rate %(thing)s of %(rate)s, valid from %(valid_from)s"),
            rate,
        ),
        Sentence(
            "billing.tax_rate_end",
            INVOICES,
            _("%(actor)s ended the tax rate %(thing)s on %(valid_until)s"),
            rate,
        ),
    ]


def _percent(value: Any, reading: Reading) -> str:
    """Write a rate in 1/100 percent: 5.5%."""
    if isinstance(value, bool) or not isinstance(value, int):
        return plain(value, reading)
    return f"{written(value)}%"
