"""The proof of invoices: against the journal, against their own data, and number by number.

An invoice's lines are the journal's charges of its month by mode and chatbot. Its figures follow
from its lines. Its digest covers all its data. A sequence has each number once, starting at 1.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet, Subquery, Sum

from billing.invoicing.digests import digest_of
from billing.invoicing.taxes import included, shares
from billing.models import (
    CreditNote,
    Invoice,
    InvoiceLine,
    InvoiceSeries,
    InvoiceTax,
    JournalEntry,
    Wallet,
)
from billing.models.books import CHARGED
from billing.models.invoices import written
from billing.persistence import checkpoints
from billing.persistence.differences import Difference

Charge = tuple[str, str]  # mode and chatbot
# A difference: the law, the expected value, the actual value, and where.
Unlike = tuple[str, int, int, str]


def charges_of(wallet_id: int, start_us: int, end_us: int) -> dict[Charge, tuple[int, int]]:
    """Return the number and sum of the journal's charges in [start, end), by mode and chatbot."""
    rows = _entries(wallet_id, start_us, end_us).exclude(revenue=0).order_by()
    told = rows.values_list("mode", "chatbot").annotate(Count("pk"), Sum("revenue"))
    return {(mode, chatbot): (count, units) for mode, chatbot, count, units in told}


def due_of(total: int, closing: int) -> int:
    """Return the part of a month's charges that is unpaid at its end. `closing`: the balance then.

    Payments pay the oldest charges first. A balance below 0 is used credit, or money owed.
    """
    return min(total, max(0, -closing))


def _entries(wallet_id: int, start_us: int, end_us: int) -> QuerySet[JournalEntry]:
    return JournalEntry.objects.filter(
        wallet_id=wallet_id, at_us__gte=start_us, at_us__lt=end_us, kind__in=CHARGED
    )


def unlike_of(wallets: Sequence[Wallet], *, whole: bool) -> list[Difference]:
    """Return the first difference of each invoice of these wallets, whose IDs must have no gap.

    `whole`: check all invoices. Otherwise, check each wallet's newest.
    """
    if not wallets:
        return []
    slugs = {wallet.pk: wallet.slug for wallet in wallets}
    rows = Invoice.objects.filter(wallet_id__gte=wallets[0].pk, wallet_id__lte=wallets[-1].pk)
    if not whole:
        newest = rows.order_by().values("wallet").annotate(newest=Max("pk")).values("newest")
        rows = rows.filter(pk__in=newest)
    rows = rows.order_by("pk").select_related("wallet").prefetch_related("lines", "taxes")
    found = []
    for invoice in rows.iterator(chunk_size=200):
        differs = next(_differences(invoice), None)
        if differs is not None and invoice.wallet_id in slugs:
            found.append(Difference(slugs[invoice.wallet_id], *differs))
    return found


def _differences(invoice: Invoice) -> Iterator[Unlike]:
    lines, taxes = list(invoice.lines.all()), list(invoice.taxes.all())
    yield from _against_the_journal(invoice, lines)
    yield from _in_itself(invoice, lines, taxes)


def _against_the_journal(invoice: Invoice, lines: Sequence[InvoiceLine]) -> Iterator[Unlike]:
    """Yield differences of the lines and the paid amount from the month's journal entries."""
    stretch = invoice.wallet_id, invoice.start_us, invoice.end_us
    charges = charges_of(*stretch)
    for line in lines:
        count, units = charges.pop((line.mode, line.chatbot), (0, 0))
        where = f"{invoice.number}, line {line.position}"
        if units != line.amount:
            yield "invoice line = journal", units, line.amount, where
        if count != line.quantity:
            yield "quantity of the line = entries", count, line.quantity, where
    for (mode, chatbot), (_count, units) in charges.items():
        if units:
            yield (
                "invoice line = journal",
                units,
                0,
                f"{invoice.number}, {mode} {chatbot} is missing",
            )
    amounts = checkpoints.sums(invoice.wallet_id, until_us=invoice.end_us).amounts
    closing = invoice.wallet.opening + checkpoints.moved(amounts)
    paid = invoice.total - due_of(invoice.total, closing)
    if paid != invoice.paid:
        yield "paid from the balance = journal", paid, invoice.paid, invoice.number


def _in_itself(
    invoice: Invoice, lines: Sequence[InvoiceLine], taxes: Sequence[InvoiceTax]
) -> Iterator[Unlike]:
    """Yield differences in sums, taxes, number and digest."""
    amount = sum(line.amount for line in lines)
    if amount != invoice.total:
        yield "lines = total", amount, invoice.total, invoice.number
    by_rate: dict[tuple[str, int], list[InvoiceLine]] = defaultdict(list)
    for line in lines:
        by_rate[line.tax_name, line.rate].append(line)
    for (name, rate), its in by_rate.items():
        for line, tax in zip(its, shares([each.amount for each in its], rate), strict=True):
            if (line.tax, line.net) != (tax, line.amount - tax):
                where = f"{invoice.number}, line {line.position}"
                yield "tax of the line = its share", tax, line.tax, where
        told = [each for each in taxes if (each.name, each.rate) == (name, rate)]
        amount = sum(line.amount for line in its)
        right = (amount, included(amount, rate))
        if [(each.amount, each.tax) for each in told] != [right]:
            found = sum(each.tax for each in told)
            yield "tax line = its lines", right[1], found, f"{invoice.number}, {name}"
    tax = sum(each.tax for each in taxes)
    if (tax, invoice.total - tax) != (invoice.tax, invoice.net):
        yield "tax lines = tax", tax, invoice.tax, invoice.number
    kind = InvoiceSeries.Kind.INVOICE
    if invoice.number != written(invoice.prefix, kind, invoice.year, invoice.serial):
        yield "number = its sequence", invoice.serial, 0, invoice.number
    if invoice.digest != digest_of(invoice, lines, taxes):
        yield "digest = content", 0, 0, f"{invoice.number} was changed"


# -- numbers --------------------------------------------------------------------------------------


def unlike_numbers() -> list[Difference]:
    """Return the number sequences with a gap or a number after their end.

    Each kind is read by one query and so at one moment, because documents may be issued meanwhile.
    """
    found = []
    for kind, rows in (
        (InvoiceSeries.Kind.INVOICE, Invoice.objects.all()),
        (InvoiceSeries.Kind.CREDIT_NOTE, CreditNote.objects.exclude(serial=None)),
    ):
        same = rows.filter(prefix=OuterRef("prefix"), year=OuterRef("year")).order_by()
        sums = {
            name: Subquery(same.values("prefix").annotate(told=told).values("told"))
            for name, told in (
                *(("count", Count("pk")), ("lowest", Min("serial"))),
                ("highest", Max("serial")),
            )
        }
        for row in InvoiceSeries.objects.filter(kind=kind).order_by("pk").annotate(**sums):
            count, lowest, highest = (getattr(row, name) for name in sums)
            figures = (count or 0, lowest or 1, highest or 0)
            if figures != (row.last, 1, row.last):
                found.append(_of_series(row, figures, rows))
        kept = InvoiceSeries.objects.filter(
            kind=kind, prefix=OuterRef("prefix"), year=OuterRef("year")
        )
        for number in rows.filter(~Exists(kept)).order_by("pk").values_list("number", flat=True):
            lost = f"{number} has no sequence"
            found.append(Difference(number, "numbers without a gap", 0, 1, lost))
    return found


def _of_series(
    row: InvoiceSeries, figures: tuple[int, int, int], rows: QuerySet[Any]
) -> Difference:
    count, _lowest, highest = figures
    gap = _first_gap(rows.filter(prefix=row.prefix, year=row.year))
    where = f"{row.written(gap)} is missing"
    if gap > row.last:
        where = f"{row.written(highest)} is past the last number"
    name = str(row).rpartition("-")[0]
    return Difference(name, "numbers without a gap", row.last, count, where)


def _first_gap(rows: QuerySet[Any]) -> int:
    """Return the first number that no document has."""
    expected = 1
    for serial in rows.order_by("serial").values_list("serial", flat=True).iterator():
        if serial != expected:
            break
        expected += 1
    return expected
