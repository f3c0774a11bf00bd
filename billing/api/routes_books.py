"""The API of an account's books: messages, open holds, entries, amounts owed, statements."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import QuerySet, Sum
from django.http import Http404, HttpRequest
from ninja import Query, Router
from ninja.params import functions as param

from billing.api.answers import held_and_charged
from billing.api.common import Slug, wallet_of
from billing.models import Campaign, JournalEntry, Message, Receivable, Wallet
from billing.money import plain
from billing.persistence import checkpoints
from billing.schemas_books import (
    CallsOut,
    DayOut,
    EntryOut,
    HoldsIn,
    JournalEntriesIn,
    LineOut,
    MessageRow,
    MessagesIn,
    MonthOut,
    OwedOut,
    StatementOut,
    StatementRow,
    YearOut,
)
from billing.selectors.calls_charged import CallLine, calls_of, explained
from billing.selectors.holds import open_holds
from billing.selectors.messages_list import MessageQuery, recipients_of
from billing.selectors.statements import Statement, StatementLine, statement_of
from billing.selectors.statements_asked import month_asked, year_asked
from billing.wallet.messages import OPEN
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.root import ProblemError
from poolsite.number_format import masked

router = Router(tags=["billing"])
CALLS_LIMIT = 1_000  # call lines per statement
Month: Any = param.Path(..., pattern=r"^[0-9]{4}-[0-9]{2}$", description="Such as 2026-11.")


@router.get("/{slug}/messages", response={200: Page[MessageRow]}, summary="List messages")
def list_messages(request: HttpRequest, asked: Query[MessagesIn], slug: str = Slug) -> Any:
    """The account's messages in the books, newest first.

    The books are a few seconds behind the live data. Get a single message for its current state.
    Reports without a message are listed only for `state=parked` or `q`.
    """
    _principal, wallet = wallet_of(request, slug)
    query = MessageQuery(
        search=asked.q,
        state=asked.state or "",
        mode=asked.mode or "",
        chatbot=asked.chatbot,
        campaign=_campaign(wallet, asked.campaign),
        flagged=asked.flagged,
        begin=asked.since,
        end=asked.until,
    )
    return _messages(request, asked, wallet, query.rows(wallet))


@router.get("/{slug}/open-holds", response={200: Page[MessageRow]}, summary="List open holds")
def list_open_holds(request: HttpRequest, asked: Query[HoldsIn], slug: str = Slug) -> Any:
    """The messages whose money is held, newest first. Requires an operator."""
    _principal, wallet = wallet_of(request, slug, "billing.books")
    rows = open_holds(Wallet.objects.filter(pk=wallet.pk))
    if asked.state:
        rows = rows.filter(state=asked.state)
    if asked.chatbot:
        rows = rows.filter(chatbot=asked.chatbot)
    if asked.until:
        rows = rows.filter(held_at__lt=asked.until)
    return _messages(request, asked, wallet, rows)


@router.get("/{slug}/entries", response={200: Page[EntryOut]}, summary="List journal entries")
def list_journal_entries(
    request: HttpRequest, asked: Query[JournalEntriesIn], slug: str = Slug
) -> Any:
    """Every entry of the account's books, newest first."""
    _principal, wallet = wallet_of(request, slug)
    rows = JournalEntry.objects.filter(wallet=wallet)
    if asked.q:
        rows = rows.filter(operation_id__startswith=asked.q)
    for name in ("kind", "chatbot", "mode"):
        if value := getattr(asked, name):
            rows = rows.filter(**{name: value})
    if asked.since:
        rows = rows.filter(at_us__gte=_us(asked.since))
    if asked.until:
        rows = rows.filter(at_us__lt=_us(asked.until))
    return page(request, asked, rows, _entry)


@router.get("/{slug}/receivables", response={200: Page[OwedOut]}, summary="List amounts owed")
def list_receivables(request: HttpRequest, asked: Query[PageIn], slug: str = Slug) -> Any:
    """The amounts that debits and chargebacks left owed, and their payments, newest first."""
    _principal, wallet = wallet_of(request, slug)
    rows = Receivable.objects.filter(wallet=wallet)
    return page(request, asked, rows, _owed)


@router.get(
    "/{slug}/statements",
    response={200: YearOut},
    summary="List statements",
    tags=["statements"],
)
def list_statements(
    request: HttpRequest,
    slug: str = Slug,
    year: int = param.Query(0, ge=0, le=9998, description="0 for this year."),
) -> Any:
    """The months of a year with their totals, newest first."""
    wallet = wallet_of(request, slug)[1]
    try:
        found = year_asked(wallet, year)
    except Http404:
        raise ProblemError("malformed", "year: there are no statements of that year") from None
    return YearOut(
        year=found.year,
        years=list(found.years),
        months=[StatementOut(**_totals(each)) for each in found.months],
    )


@router.get(
    "/{slug}/statements/{month}",
    response={200: MonthOut},
    summary="Get a statement",
    tags=["statements"],
)
def get_statement(request: HttpRequest, slug: str = Slug, month: str = Month) -> Any:
    """A month's totals, what each day cost, and the calls by destination."""
    _principal, wallet = wallet_of(request, slug)
    named = month_asked(wallet, month)
    found = statement_of(wallet, named, 0)
    days = [
        DayOut(day=day, charges=plain(units))
        for day, units in zip(found.days.days, found.days.totals, strict=True)
    ]
    calls = [_calls(line) for line in calls_of(wallet, named, CALLS_LIMIT).lines]
    used = plain(found.promotional)
    return MonthOut(**_totals(found.statement), days=days, calls=calls, promotional=used)


@router.get(
    "/{slug}/statements/{month}/rows",
    response={200: Page[StatementRow]},
    summary="List a statement's rows",
    tags=["statements"],
)
def list_statement_rows(
    request: HttpRequest, asked: Query[PageIn], slug: str = Slug, month: str = Month
) -> Any:
    """Every entry of the month, oldest first, with the spendable balance after it."""
    _principal, wallet = wallet_of(request, slug)
    named = month_asked(wallet, month)
    rows = JournalEntry.objects.filter(
        wallet=wallet, at_us__gte=named.start_us, at_us__lt=named.end_us
    )
    found: Page[JournalEntry] = page(request, asked, rows, lambda row: row, oldest_first=True)
    before = checkpoints.sums(wallet.pk, until_us=named.start_us).amounts["spendable"]
    balance = wallet.opening + before + _spendable_before(rows, found.data)
    data, calls = [], explained(wallet, found.data)
    for entry in found.data:
        balance += entry.spendable
        told = _entry(entry).model_dump(exclude={"state", "charged"})
        call = calls.get(entry.operation_id) if entry.kind == "settle" else None
        seconds, text = (call.seconds, call.text) if call else (0, "")
        data.append(
            StatementRow(**told, balance=plain(balance), charged_seconds=seconds, explanation=text)
        )
    return Page(data=data, next=found.next)


def _spendable_before(rows: QuerySet[JournalEntry], shown: Sequence[JournalEntry]) -> int:
    """Return the sum of the month's entries before the shown ones."""
    if not shown:
        return 0
    found = rows.filter(pk__lt=shown[0].pk).aggregate(units=Sum("spendable"))
    return int(found["units"] or 0)


def _campaign(wallet: Wallet, key: int | None) -> Campaign | None:
    if key is None:
        return None
    found = Campaign.objects.filter(wallet=wallet, pk=key).first()
    if found is None:
        raise ProblemError("unknown-campaign", "campaign not found")
    return found


def _messages(
    request: HttpRequest, asked: PageIn, wallet: Wallet, rows: QuerySet[Message]
) -> Page[MessageRow]:
    found: Page[Message] = page(request, asked, rows, lambda row: row)
    recipients = recipients_of(wallet, found.data)
    data = []
    for row in found.data:
        recipient = recipients.get(row.message_id)
        amount = row.quoted if row.state in OPEN else row.charged
        data.append(
            MessageRow(
                message_id=row.message_id,
                kind=row.kind,
                state=row.state,
                mode=row.mode,
                chatbot=row.chatbot,
                campaign=recipient.campaign_id if recipient else None,
                to=masked(recipient.number) if recipient else "",
                tariff=row.tariff_id,
                quoted=plain(row.quoted),
                **held_and_charged(row.state, amount),
                flag=row.flag,
                held_at=row.held_at,
                sent_at=row.sent_at,
                ended_at=row.ended_at,
            )
        )
    return Page(data=data, next=found.next)


def _entry(row: JournalEntry) -> EntryOut:
    return EntryOut(
        generation=row.generation,
        seq=row.seq,
        at=datetime.fromtimestamp(row.at_us / 1_000_000, tz=UTC),
        kind=row.kind,
        operation=row.operation_id,
        state=row.state,
        mode=row.mode,
        chatbot=row.chatbot,
        spendable=plain(row.spendable),
        held=plain(row.held),
        owed=plain(-row.receivable),
        charged=plain(row.revenue),
    )


def _calls(line: CallLine) -> CallsOut:
    return CallsOut(
        prefix=line.prefix,
        destination=line.destination,
        calls=line.calls,
        charged_seconds=line.seconds,
        amount=plain(line.units),
        explanation=line.explanation,
    )


def _owed(row: Receivable) -> OwedOut:
    return OwedOut(operation=row.operation_id, amount=plain(row.amount), at=row.at)


def _totals(found: Statement) -> dict[str, Any]:
    return {
        "month": found.month.name,
        "state": "final" if found.is_final else "closing" if found.is_over else "running",
        "opening": plain(found.opening),
        "top_ups": plain(found.top_ups.units),
        "charges": plain(found.charges.units),
        "adjustments": plain(found.adjusted),
        "closing": plain(found.closing),
        "available": plain(found.available),
        "held": plain(found.held),
        "owed": plain(found.owed),
        "by_mode": _lines(found.modes),
        "by_chatbot": _lines(found.chatbots),
        "by_adjustment": _lines(found.adjustments),
    }


def _lines(lines: Sequence[StatementLine]) -> list[LineOut]:
    return [LineOut(name=each.name, count=each.count, amount=plain(each.units)) for each in lines]


def _us(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000)
