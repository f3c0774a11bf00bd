"""Issuing invoices: one per account and month, once the month is complete in the books."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from billing import webhook_events
from billing.invoicing.digests import digest_of
from billing.invoicing.taxes import included, shares
from billing.models import (
    Chatbot,
    Invoice,
    InvoiceCursor,
    InvoiceLine,
    InvoiceSeries,
    InvoiceTax,
    Seller,
    TaxProfile,
    TaxRate,
    Treatment,
    Wallet,
)
from billing.persistence.invoices import Charge, charges_of, due_of
from billing.pricing.modes import CALL, MODES
from billing.selectors.statements import statement_of
from billing.services import invoices_mail
from billing.services.adjustments import operator_of
from billing.services.days import Month, month_after, month_before
from billing.services.tax_profiles import customer_of, profile_of, rate_of, seller_of
from poolsite import access, dates
from poolsite.access.services.actor import Actor, is_person, name_of, require

# An untaxed line has no tax name.
UNTAXED: Final = ("", 0)
Tax = tuple[str, int]  # name and rate


class NothingChargedError(ValidationError):
    """The month has no charges, so it has no invoice."""


class NotCompleteError(ValidationError):
    """The month is not over, or the books do not have all of it yet."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of an invoice, read before any lock: a complete month does not change."""

    month: Month
    charges: Mapping[Charge, tuple[int, int]]
    closing: int

    @property
    def total(self) -> int:
        """The sum of all charges."""
        return sum(units for _count, units in self.charges.values())


def invoice_issue(wallet: Wallet, month: Month, *, actor: Actor) -> Invoice:
    """Issue the invoice of a complete month; return the existing one unless it was credited.

    Number, invoice, lines, audit entry, event and email are one transaction. Raise ValidationError
    if there is no seller or tax rate, the month is not complete (NotCompleteError), nothing was
    charged (NothingChargedError), or the books do not add up.
    """
    require(actor, "billing.finance", wallet)
    if is_person(actor):
        operator_of(actor)
    seller = seller_of()
    if seller is None:
        raise ValidationError(_("Enter the seller first."))
    draft = draft_of(wallet, month)
    with transaction.atomic():
        lock_invoices(wallet)
        rows = Invoice.objects.filter(wallet=wallet, month=month.first)
        last = rows.select_related("wallet__account").order_by("-revision").first()
        if last is not None and last.credit_note is None:
            return last
        invoice = _write(wallet, draft, seller, last, name_of(actor))
        access.audit(
            actor=actor,
            action="billing.invoice_issue",
            thing=wallet,
            after={
                "number": invoice.number,
                "month": invoice.month_name,
                "total": invoice.total,
                "tax": invoice.tax,
            },
        )
        webhook_events.invoice_issued(invoice)
        invoices_mail.queue(invoice)
    return invoice


def lock_invoices(wallet: Wallet) -> InvoiceCursor:
    """Lock, so that one transaction at a time issues or credits the wallet's invoices."""
    InvoiceCursor.objects.get_or_create(wallet=wallet)
    return InvoiceCursor.objects.select_for_update().get(wallet=wallet)


def draft_of(wallet: Wallet, month: Month) -> Draft:
    """Return the month's charges. Raise ValidationError as `invoice_issue` does."""
    month = _joined(wallet, month)
    name = {"month": dates.month(month.first)}
    statement = statement_of(wallet, month, 0).statement
    if not statement.is_final:
        raise NotCompleteError(_("%(month)s is not complete yet.") % name)
    found = charges_of(wallet.pk, month.start_us, month.end_us)
    charges = {key: told for key, told in found.items() if told[1]}
    draft = Draft(month, charges, statement.closing)
    if draft.total != statement.charges.units or statement.difference:
        raise ValidationError(_("The books of %(month)s don't add up. Run the money audit.") % name)
    if not charges:
        raise NothingChargedError(_("Nothing was charged in %(month)s.") % name)
    return draft


def _joined(wallet: Wallet, month: Month) -> Month:
    """Return the month with the bounds of its own invoices and of those before and after it.

    After a change of the account's time zone, months overlap or leave a gap. So no charge is
    invoiced twice, and none between two invoices is left out.
    """
    last, following = month_before(month.first), month_after(month.first)
    rows = Invoice.objects.filter(wallet=wallet, month__in=(last, month.first, following))
    found = {row.month: row for row in rows}
    if own := found.get(month.first):
        return replace(month, start_us=own.start_us, end_us=own.end_us)
    before, after = found.get(last), found.get(following)
    return replace(
        month,
        start_us=before.end_us if before else month.start_us,
        end_us=after.start_us if after else month.end_us,
    )


def next_number(seller: Seller, kind: str) -> tuple[InvoiceSeries, datetime, date]:
    """Take the next number, with time and day. Its sequence is locked until the transaction ends.

    The time is read after the lock is taken: a later number never has an earlier day.
    """
    zone = ZoneInfo(seller.zone)
    year = timezone.now().astimezone(zone).year
    series, _made = InvoiceSeries.objects.get_or_create(prefix=seller.prefix, kind=kind, year=year)
    series = InvoiceSeries.objects.select_for_update().get(pk=series.pk)
    series.last += 1
    series.save(update_fields=["last"])
    now = timezone.now()
    return series, now, now.astimezone(zone).date()


def _write(
    wallet: Wallet, draft: Draft, seller: Seller, last: Invoice | None, issuer: str
) -> Invoice:
    profile = profile_of(wallet.account)
    treatment = profile.treatment if profile else Treatment.STANDARD
    lines, taxes = _priced(wallet, draft, profile, seller, treatment)
    series, now, day = next_number(seller, InvoiceSeries.Kind.INVOICE)
    tax = sum(each.tax for each in taxes)
    invoice = Invoice(
        wallet=wallet,
        month=draft.month.first,
        revision=1 if last is None else last.revision + 1,
        start_us=draft.month.start_us,
        end_us=draft.month.end_us,
        zone=wallet.account.zone,
        number=str(series),
        prefix=series.prefix,
        year=series.year,
        serial=series.last,
        issued_at=now,
        issued_on=day,
        issued_by=issuer,
        currency=wallet.account.currency,
        seller=_told(seller),
        customer=customer_of(wallet.account, seller),
        treatment=treatment,
        net=draft.total - tax,
        tax=tax,
        total=draft.total,
        paid=draft.total - due_of(draft.total, draft.closing),
    )
    invoice.digest = digest_of(invoice, lines, taxes)
    invoice.save(force_insert=True)
    for line in lines:
        line.invoice = invoice
    for each in taxes:
        each.invoice = invoice
    InvoiceLine.objects.bulk_create(lines)  # unaudited: the invoice's entry has it
    InvoiceTax.objects.bulk_create(taxes)  # unaudited: as above
    return invoice


def _told(seller: Seller) -> dict[str, str]:
    return {name: getattr(seller, name) for name in ("name", "address", "country", "tax_id")}


def _priced(
    wallet: Wallet, draft: Draft, profile: TaxProfile | None, seller: Seller, treatment: str
) -> tuple[list[InvoiceLine], list[InvoiceTax]]:
    """Return the lines in order, each with its share of the tax, and a tax line per rate."""
    country = profile.country if profile else seller.country
    names = dict(Chatbot.objects.filter(account=wallet.account_id).values_list("slug", "name"))
    lines = [
        InvoiceLine(
            position=position,
            mode=mode,
            chatbot=chatbot,
            chatbot_name=names.get(chatbot, ""),
            quantity=draft.charges[mode, chatbot][0],
            amount=draft.charges[mode, chatbot][1],
        )
        for position, (mode, chatbot) in enumerate(sorted(draft.charges, key=_place), start=1)
    ]
    by_tax: dict[Tax, list[InvoiceLine]] = {}
    for line in lines:
        tax = UNTAXED if treatment != Treatment.STANDARD else _tax_of(line, country, draft.month)
        line.tax_name, line.rate = tax
        by_tax.setdefault(tax, []).append(line)
    return lines, [_taxed(place, *tax, its) for place, (tax, its) in enumerate(by_tax.items(), 1)]


def _place(charge: Charge) -> tuple[int, str, str]:
    """Sort by mode in the fixed order, then by chatbot; unknown modes come last."""
    mode, chatbot = charge
    return (MODES.index(mode) if mode in MODES else len(MODES), mode, chatbot)


def _tax_of(line: InvoiceLine, country: str, month: Month) -> Tax:
    """Return the tax that was valid on the month's last day."""
    kind = TaxRate.Kind.CALLS if line.mode == CALL else TaxRate.Kind.MESSAGES
    last_day = month_after(month.first) - timedelta(days=1)
    rate = rate_of(country, kind, last_day)
    if rate is None:
        told: dict[str, Any] = {"country": country, "kind": kind.label, "day": dates.day(last_day)}
        raise ValidationError(
            _("No tax rate for %(kind)s in %(country)s is valid on %(day)s.") % told
        )
    return rate.name, rate.rate


def _taxed(position: int, name: str, rate: int, lines: Sequence[InvoiceLine]) -> InvoiceTax:
    amounts = [line.amount for line in lines]
    for line, tax in zip(lines, shares(amounts, rate), strict=True):
        line.tax, line.net = tax, line.amount - tax
    amount, tax = sum(amounts), included(sum(amounts), rate)
    return InvoiceTax(
        position=position, name=name, rate=rate, net=amount - tax, tax=tax, amount=amount
    )
