"""The data for a wallet in safe mode: messages, receipts and intents, from SQL."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from billing import servers, wallet
from billing.models import FlaggedReport, HoldIntent, JournalEntry, Message, Wallet
from billing.models.messages import MessageKind, State
from billing.persistence.entries import MONEY_KINDS
from billing.selectors.promotions import promotions_of
from billing.services.days import day_start
from billing.wallet import LOAD_LIMIT, LoadRow, MessageState, Receipt
from poolsite.moments import us_of

FINALS = timedelta(days=7)  # for this long Redis answers a repeated ID
REPORTED = timedelta(hours=72)
UNSENT = timedelta(minutes=10)
ENDED = (State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED)
UNENDED = (State.HELD, State.SENT, State.PARKED, State.UNPAID)
FLAGS_KEPT = 16


@dataclass(frozen=True)
class Reloaded:
    """The number of messages restored, and the result for holds that only intents have."""

    messages: int = 0
    receipts: int = 0
    charged: int = 0  # units
    not_charged: int = 0  # units: the balance did not cover them

    def __add__(self, other: "Reloaded") -> "Reloaded":
        return Reloaded(
            self.messages + other.messages,
            self.receipts + other.receipts,
            self.charged + other.charged,
            self.not_charged + other.not_charged,
        )


def load_books(row: Wallet) -> Reloaded:
    """Load what the books have: open and ended messages, parked reports, receipts. Repeatable."""
    return Reloaded(messages=_load_messages(row), receipts=_load_receipts(row))


def load_intents(row: Wallet) -> Reloaded:
    """Charge the holds that only an intent has: handed over within 72 h, or just made.

    Those that the balance does not cover are reported, not charged.
    """
    done, today = Reloaded(), _today(row)
    for part in _parts(_intents(row)):
        rows = [
            LoadRow(_of_intent(intent), known=False, today=intent.created_at >= today)
            for intent in part
        ]
        answers = servers.path(row).run(wallet.load(row.slug, rows)).answers
        for intent, answer in zip(part, answers, strict=True):
            done += Reloaded(
                messages=int(answer == "loaded"),
                charged=intent.quoted if answer == "loaded" else 0,
                not_charged=intent.quoted if answer == "insufficient balance" else 0,
            )
    return done


def _parts(rows: Iterable[HoldIntent]) -> Iterator[list[HoldIntent]]:
    part: list[HoldIntent] = []
    for row in rows:
        part.append(row)
        if len(part) == LOAD_LIMIT:
            yield part
            part = []
    if part:
        yield part


def _intents(row: Wallet) -> Iterator[HoldIntent]:
    now = timezone.now()
    known = Message.objects.filter(
        wallet_id=OuterRef("wallet_id"), message_id=OuterRef("message_id")
    )
    recent = Q(handed_over_at__gt=now - REPORTED) | Q(
        handed_over_at=None, created_at__gt=now - UNSENT
    )
    rows = HoldIntent.objects.filter(recent, ~Exists(known), wallet=row).order_by("pk")
    return rows.select_related("chatbot").iterator(chunk_size=2_000)


def _of_intent(intent: HoldIntent) -> MessageState:
    sent = intent.handed_over_at is not None
    return MessageState(
        message_id=intent.message_id,
        state="sent" if sent else "held",
        kind=intent.kind,
        since_us=us_of(intent.handed_over_at or intent.created_at),
        quoted=intent.quoted,
        body_hash=intent.body_hash,
        tariff_id=intent.tariff_id,
        chatbot=intent.chatbot.slug if intent.chatbot else "",
        prices=intent.prices,
        others=intent.others,
    )


# -- messages ---------------------------------------------------------------------------------


def _load_messages(row: Wallet) -> int:
    put, today = 0, _today(row)
    ended = Q(state__in=ENDED, ended_at__gt=timezone.now() - FINALS)
    rows = Message.objects.filter(Q(state__in=UNENDED) | ended, wallet=row).order_by("pk")
    after = 0
    while True:
        page = list(rows.filter(pk__gt=after)[:LOAD_LIMIT])
        if not page:
            return put
        seen, parked = _seen(row, page), _parked_at(row, page)
        took = promotions_of(row, [message.message_id for message in page])
        intents = _prices_of_intents(row, page)
        states = [
            replace(
                _of_message(message, seen, parked, intents.get(message.message_id)),
                grants=took.get(message.message_id, ""),
            )
            for message in page
        ]
        loads = [
            LoadRow(state, today=_is_of(message, today))
            for message, state in zip(page, states, strict=True)
        ]
        loaded = servers.path(row).run(wallet.load(row.slug, loads))
        put += sum(answer == "loaded" for answer in loaded.answers)
        after = page[-1].pk


def _today(row: Wallet) -> datetime:
    """Return the midnight that began the account's day, by the clock that timed the holds.

    On another machine's clock, the next day may have begun already, or not yet.
    """
    return day_start(row.account, servers.now(row))


def _is_of(message: Message, day: datetime) -> bool:
    """Whether a message's cost belongs to the day that began then: a hold costs when it is made.

    A session message costs when it is paid, which can be days after it came.
    """
    is_session = message.kind == MessageKind.SESSION
    at = message.ended_at if is_session else message.held_at
    return at is not None and at >= day


def _of_message(
    message: Message,
    seen: Mapping[str, Sequence[str]],
    parked: Mapping[str, int],
    intent: HoldIntent | None,
) -> MessageState:
    is_parked = message.state == State.PARKED
    prices, others = read_prices(message.prices)
    if not prices and intent is not None:
        prices, others = intent.prices, intent.others
    moments = (message.ended_at, message.sent_at, message.held_at)
    since_us = next((us_of(moment) for moment in moments if moment), 0)
    return MessageState(
        message_id=message.message_id,
        state=message.state,
        kind=message.kind,
        since_us=parked.get(message.message_id, since_us) if is_parked else since_us,
        quoted=message.quoted,
        charged=message.charged,
        mode="" if is_parked else message.mode,
        body_hash=message.body_hash,
        tariff_id=message.tariff_id,
        chatbot=message.chatbot,
        prices=prices,
        others=others,
        parked=message.mode if is_parked else "",
        seen=tuple(seen.get(message.message_id, ())[:FLAGS_KEPT]),
    )


def _seen(row: Wallet, page: Sequence[Message]) -> dict[str, list[str]]:
    """Return the reports that are in the operators' list already, as the wallet stores them."""
    flagged = [message.message_id for message in page if message.flag]
    found: dict[str, list[str]] = {}
    reports = FlaggedReport.objects.filter(wallet=row, message_id__in=flagged).order_by("pk")
    for message_id, flag, mode in reports.values_list("message_id", "flag", "reported_mode"):
        found.setdefault(message_id, []).append(f"{flag[:5]}:{mode}")
    return found


def _parked_at(row: Wallet, page: Sequence[Message]) -> dict[str, int]:
    """Return when each parked report came."""
    ids = [message.message_id for message in page if message.state == State.PARKED]
    entries = JournalEntry.objects.filter(wallet=row, operation_id__in=ids, kind="parked")
    return dict(entries.values_list("operation_id", "at_us"))


def _prices_of_intents(row: Wallet, page: Sequence[Message]) -> dict[str, HoldIntent]:
    """Return the intents of messages that were written before their prices were."""
    ids = [message.message_id for message in page if not message.prices]
    rows = HoldIntent.objects.filter(wallet=row, message_id__in=ids)
    return {intent.message_id: intent for intent in rows}


def read_prices(text: str) -> tuple[dict[str, int], dict[str, int]]:
    """Read the stored prices: those of the quote, and those outside it."""
    found: tuple[dict[str, int], dict[str, int]] = ({}, {})
    for word in text.replace(",", "\n,").replace(";", "\n;").split("\n"):
        mode, _, price = word[1:].partition("=")
        if word[:1] in (",", ";") and price.isdecimal():
            found[0 if word[0] == "," else 1][mode] = int(price)
    return found


# -- receipts ---------------------------------------------------------------------------------


def _load_receipts(row: Wallet) -> int:
    """Load the last 7 days' receipts: a repeated operation is a repeat, not a second movement."""
    since = us_of(timezone.now() - FINALS)
    entries = JournalEntry.objects.filter(wallet=row, kind__in=MONEY_KINDS, at_us__gte=since)
    put, after = 0, 0
    while True:
        page = list(entries.filter(pk__gt=after).order_by("pk")[:LOAD_LIMIT])
        if not page:
            return put
        receipts = [
            Receipt(
                operation_id=entry.operation_id,
                kind=entry.kind,
                amount=abs(entry.spendable + entry.receivable),
                spendable=entry.spendable,
                owed=-entry.receivable,
            )
            for entry in page
        ]
        put += servers.path(row).run(wallet.load_receipts(row.slug, receipts))
        after = page[-1].pk
