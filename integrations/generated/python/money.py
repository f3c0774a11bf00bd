"""Messages and money: from the tariff and a top-up to the month's statement and invoice."""

import csv
import io
import os
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

from connection import ACCOUNT, expect, new_token, token_client, wait_for
from poolsite_api import AuthenticatedClient, models
from poolsite_api.api.billing import (
    get_balance,
    get_message,
    list_messages,
    post_cancellations,
    post_holds,
    post_sent,
    post_settlements,
)
from poolsite_api.api.campaigns import create_chatbot, create_chatbot_token
from poolsite_api.api.invoices import (
    get_invoice,
    get_invoice_csv,
    get_invoice_pdf,
    issue_invoice,
    list_invoices,
    set_tax_profile,
)
from poolsite_api.api.payments import create_tariff, get_top_up, start_top_up
from poolsite_api.api.statements import (
    get_statement,
    get_statement_csv,
    get_statement_pdf,
    list_statements,
)
from poolsite_api.types import File

FILES = Path(os.environ["POOLSITE_FILES"])
PRICE, TOP_UP = Decimal("0.08"), Decimal(50)
BEGAN = datetime.now(UTC)


def drive_billing(operator: AuthenticatedClient, owner: AuthenticatedClient) -> None:
    """Run a tariff, a top-up and messages.

    Check the statement and the invoice with our own figures.
    """
    prices = models.TariffInPrices()
    prices["native_text"] = models.PriceIn(unit_price=str(PRICE))
    tariff = models.TariffIn(name="Standard", prices=prices)
    expect(models.TariffOut, create_tariff.sync_detailed(ACCOUNT, client=operator, body=tariff))
    chatbot = models.ChatbotIn(id="news", name="News")
    expect(models.ChatbotOut, create_chatbot.sync_detailed(ACCOUNT, client=owner, body=chatbot))
    made = expect(
        models.TokenOut, create_chatbot_token.sync_detailed(ACCOUNT, chatbot.id, client=owner)
    )
    sender = token_client(made.token)
    wallet = [f"wallet:{ACCOUNT}"]
    gateway = new_token(operator, "gateway", wallet, ["billing.hold"], ["settle"], account=None)
    opening = balance(sender)
    top_up(owner)
    assert balance(sender) == opening + TOP_UP
    charged = send_messages(sender, gateway)
    assert balance(sender) == opening + TOP_UP - charged
    last = check_statement(sender, opening, charged)
    check_invoice(operator, owner, sender, last)


def balance(client: AuthenticatedClient) -> Decimal:
    told = expect(models.BalanceOut, get_balance.sync_detailed(ACCOUNT, client=client))
    return Decimal(told.spendable)


def top_up(person: AuthenticatedClient) -> None:
    """Start a top-up, and wait until the customer has paid on the page at its `url`."""
    body = models.TopUpIn(amount=str(TOP_UP), provider="stripe")
    made = expect(models.TopUpOut, start_top_up.sync_detailed(ACCOUNT, client=person, body=body))

    def credited() -> models.TopUpOut | None:
        found = expect(models.TopUpOut, get_top_up.sync_detailed(ACCOUNT, made.id, client=person))
        return found if found.credited_at else None

    print(f"billing: top-up {wait_for(credited).number} credited")


def send_messages(sender: AuthenticatedClient, gateway: AuthenticatedClient) -> Decimal:
    """Hold three messages, send two of them, cancel one. Return the total charge."""
    names = [f"{ACCOUNT}-m{number}" for number in range(3)]
    held = [models.HoldIn(message_id=name, text="Hello") for name in names]
    answers = expect(list, post_holds.sync_detailed(ACCOUNT, client=sender, body=held))
    assert [Decimal(answer.held) for answer in answers] == [PRICE] * 3, answers
    sent: list[models.IdIn | str] = [models.IdIn(names[0]), names[1]]
    answers = expect(list, post_sent.sync_detailed(ACCOUNT, client=sender, body=sent))
    assert [answer.state for answer in answers] == ["sent", "sent"], answers
    cancelled = post_cancellations.sync_detailed(ACCOUNT, client=sender, body=models.IdIn(names[2]))
    assert expect(models.MessageAnswer, cancelled).state == "cancelled"
    for name in names[:2]:
        body = models.ReportIn(name, final=True, delivered=True, mode="native_text")
        answer = post_settlements.sync_detailed(ACCOUNT, client=gateway, body=body)
        assert expect(models.MessageAnswer, answer).state == "settled"
    found = expect(models.MessageOut, get_message.sync_detailed(ACCOUNT, names[0], client=sender))
    assert (found.state, Decimal(found.charged)) == ("settled", PRICE), found
    return 2 * PRICE


def check_statement(
    sender: AuthenticatedClient, opening: Decimal, charged: Decimal
) -> models.MonthOut:
    """Check that the running month has our figures. Return the month before, which is final."""

    def complete() -> models.StatementOut | None:
        year = expect(models.YearOut, list_statements.sync_detailed(ACCOUNT, client=sender))
        (month, *_) = year.months
        return month if Decimal(month.charges) == charged else None

    month = wait_for(complete)
    closing = opening + TOP_UP - charged
    figures = [month.opening, month.top_ups, month.charges, month.adjustments, month.closing]
    assert [*map(Decimal, figures)] == [opening, TOP_UP, charged, 0, closing], figures
    assert [(line.name, line.count) for line in month.by_mode] == [("native_text", 2)], month
    used = expect(
        models.PageMessageRow, list_messages.sync_detailed(ACCOUNT, client=sender, since=BEGAN)
    )
    assert sum(Decimal(row.charged) for row in used.data) == charged, used
    text = expect(str, get_statement_csv.sync_detailed(ACCOUNT, month.month, client=sender))
    check_rows(list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))), closing)
    (FILES / f"{ACCOUNT}.csv").write_text(text, encoding="utf-8")
    before = f"{datetime.fromisoformat(f'{month.month}-01') - timedelta(days=1):%Y-%m}"
    last = expect(models.MonthOut, get_statement.sync_detailed(ACCOUNT, before, client=sender))
    assert (last.state, Decimal(last.closing)) == ("final", opening), last
    pdf = expect(File, get_statement_pdf.sync_detailed(ACCOUNT, before, client=sender))
    (FILES / f"{ACCOUNT}.pdf").write_bytes(pdf.payload.read())
    print(f"billing: statement of {month.month} adds up, closing {closing}")
    return last


def check_rows(rows: list[dict[str, str]], closing: Decimal) -> None:
    """Check the month's entries: in minus out, held in minus held out, and the final balance."""

    def total(name: str) -> Decimal:
        return sum((Decimal(row[name] or 0) for row in rows), Decimal(0))

    charged = total("out") - total("in") + TOP_UP - (total("held in") - total("held out"))
    assert charged == 2 * PRICE, rows
    assert Decimal(rows[-1]["balance"]) == closing, rows[-1]


def check_invoice(
    operator: AuthenticatedClient,
    owner: AuthenticatedClient,
    sender: AuthenticatedClient,
    last: models.MonthOut,
) -> None:
    """Check that a complete month's invoice has its statement's charges.

    Read the invoice's files.
    """
    profile = models.TaxProfileIn(
        legal_name="Acme Ltd", address="1 Lake Road\nShanghai", country="CN", tax_id="91310000"
    )
    expect(models.TaxProfileOut, set_tax_profile.sync_detailed(ACCOUNT, client=owner, body=profile))
    month = models.InvoiceIssueIn(month=last.month)
    made = expect(
        models.InvoiceOut, issue_invoice.sync_detailed(ACCOUNT, client=operator, body=month)
    )
    listed = expect(
        models.PageInvoiceRow,
        list_invoices.sync_detailed(ACCOUNT, client=sender, month=last.month),
    )
    assert [row.id for row in listed.data] == [made.id], listed
    invoice = expect(models.InvoiceOut, get_invoice.sync_detailed(ACCOUNT, made.id, client=sender))
    total = Decimal(invoice.total)
    assert total == Decimal(last.charges), invoice
    assert Decimal(invoice.net) + Decimal(invoice.tax) == total, invoice
    assert sum(Decimal(line.amount) for line in invoice.lines) == total, invoice
    assert sum(Decimal(tax.tax) for tax in invoice.taxes) == Decimal(invoice.tax), invoice
    assert invoice.customer.name == profile.legal_name, invoice
    text = expect(str, get_invoice_csv.sync_detailed(ACCOUNT, made.id, client=sender))
    rows = csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))
    assert sum(Decimal(row["amount"]) for row in rows) == total, text
    pdf = expect(File, get_invoice_pdf.sync_detailed(ACCOUNT, made.id, client=sender))
    (FILES / f"{ACCOUNT}-invoice.pdf").write_bytes(pdf.payload.read())
    print(f"billing: invoice {invoice.number} of {total} for {last.month}")
