"""Holds, their results, and what is returned."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from billing.money import LIMIT
from billing.wallet import reasons
from billing.wallet.building import wallet_command
from billing.wallet.messages import KIND_LETTERS, STATES, facts_text, prices_text
from poolsite.hotpath import Command

BATCH_LIMIT: Final = 32  # holds, ids or reports in one script call
MODES_LIMIT: Final = 12  # of one tariff
SECONDS_LIMIT: Final = 10**6  # of one interval of a call
_ID = re.compile(r"[!-~]{1,80}")
_MODE = re.compile(r"[a-z0-9_]{1,24}")
_HASH = re.compile(r"[A-Za-z0-9_-]{0,32}")
_CHATBOT = re.compile(r"[a-z0-9-]{0,40}")


def check_id(message_id: str) -> str:
    """Return an ID of 1 to 80 printable ASCII characters without spaces; else raise ValueError."""
    if not _ID.fullmatch(message_id):
        raise ValueError("an id has 1 to 80 printable characters without spaces")
    return message_id


@dataclass(frozen=True, slots=True)
class Quote:
    """What a message can cost: `prices` has each mode in which it can end, as unit price × count.

    `others` has the tariff's prices for modes outside the quote. An unexpected delivery costs this
    price, limited to the quote, or the whole quote if the mode is in neither mapping. `quoted` is
    the maximum of `prices`.
    """

    prices: Mapping[str, int]
    tariff_id: int | None = None
    others: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.prices:
            raise ValueError("a quote has at least one mode")
        for mode, price in (*self.prices.items(), *self.others.items()):
            if not _MODE.fullmatch(mode):
                raise ValueError(f"not a mode: {mode!r}")
            if type(price) is not int or not 0 <= price < LIMIT:
                raise ValueError(f"not a price of {mode}: {price!r}")
        if len(self.prices) + len(self.others) > MODES_LIMIT:
            raise ValueError(f"a quote has at most {MODES_LIMIT} modes")
        if self.prices.keys() & self.others.keys():
            raise ValueError("a mode is either in the quote or outside it")

    @property
    def quoted(self) -> int:
        return max(self.prices.values())


@dataclass(frozen=True, slots=True)
class HoldRequest:
    """One hold. `kind`: message, call, or session (only for `session`)."""

    message_id: str
    body_hash: str
    quote: Quote
    kind: str = "message"
    chatbot: str = ""
    sent: bool = False

    def __post_init__(self) -> None:
        check_id(self.message_id)
        if not _HASH.fullmatch(self.body_hash):
            raise ValueError("a body hash has up to 32 of A-Z, a-z, 0-9, _ and -")
        if self.kind not in KIND_LETTERS or not self.kind:
            raise ValueError(f"not a kind: {self.kind!r}")
        if not _CHATBOT.fullmatch(self.chatbot):
            raise ValueError("a chatbot's id has up to 40 of a-z, 0-9 and -")

    @property
    def facts(self) -> str:
        return facts_text(self.body_hash, self.quote.tariff_id, self.chatbot)


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """One status report. `mode` is None if it cannot be read, "" if none is needed.

    Only a final delivery needs a mode; a failed or interim report may have "" or any. `units` and
    `seconds` are for a call's interval: its maximum cost, and the seconds charged.
    """

    message_id: str
    final: bool
    delivered: bool
    mode: str | None = ""
    units: int | None = None
    seconds: int = 0

    def __post_init__(self) -> None:
        check_id(self.message_id)
        if self.mode and not _MODE.fullmatch(self.mode):
            raise ValueError(f"not a mode: {self.mode!r}")
        if self.units is not None and not 0 <= self.units < LIMIT:
            raise ValueError(f"not an amount: {self.units!r}")
        if not 0 <= self.seconds < SECONDS_LIMIT:
            raise ValueError(f"not so many seconds: {self.seconds!r}")

    @property
    def word(self) -> str:
        """The report in the form that billing/report reads."""
        if self.mode is None:
            return "u"
        if not self.final:
            return "i"
        if not self.delivered:
            return "f"
        if not self.mode:
            return "u"
        cost = "" if self.units is None else f"={self.units}/{self.seconds}"
        return f"d{self.mode}{cost}"


@dataclass(frozen=True, slots=True)
class Charge:
    """The wallet's answer to a hold, a report, … of one message; see billing.wallet.reasons.

    `answer` is what was done, `flag` is the flag in data/message_reports.csv, `state` is the
    message's current state ("" for none), `charged` is what the customer pays for it at this moment
    (all of `quoted` while it is held). `bal`, `seq` and `credit` are the wallet's after the whole
    command.
    """

    message_id: str
    answer: str
    state: str = ""
    charged: int = 0
    quoted: int = 0
    bal: int = 0
    seq: int = 0
    flag: str = ""
    credit: int = 0

    @property
    def spendable(self) -> int:
        """What can still be spent: balance and credit limit together, never below zero."""
        return max(0, self.bal + self.credit)

    @property
    def made(self) -> bool:
        """Whether the hold is valid, made now or before: the message may be sent."""
        return self.answer == reasons.HELD or (
            self.answer == reasons.REPEAT and self.state in ("held", "sent")
        )

    @property
    def refused(self) -> bool:
        """Whether the wallet refused the hold (insufficient balance, frozen, …)."""
        return self.answer in reasons.REFUSALS

    @property
    def listed(self) -> bool:
        """Whether the flag belongs in the operators' list."""
        return self.flag in reasons.LISTED


def _charges(ids: Sequence[str]) -> Callable[[list[str]], list[Charge]]:
    def read(reply: list[str]) -> list[Charge]:
        if reply[0] == "-1":  # the wallet's own refusal applies to every item
            return [Charge(message_id, reply[1]) for message_id in ids]
        bal, seq, credit = int(reply[1]), int(reply[2]), int(reply[3])
        items = zip(ids, *(reply[4 + place :: 5] for place in range(5)), strict=True)
        return [
            Charge(
                *(message_id, answer, STATES[letter], int(charged), int(quoted)),
                *(bal, seq, flag, credit),
            )
            for message_id, answer, letter, charged, quoted, flag in items
        ]

    return read


def _charge(message_id: str) -> Callable[[list[str]], Charge]:
    read = _charges([message_id])
    return lambda reply: read(reply)[0]


def _check_count(items: Sequence[object]) -> None:
    if not 0 < len(items) <= BATCH_LIMIT:
        raise ValueError(f"a batch has 1 to {BATCH_LIMIT} items, not {len(items)}")


def _hold_words(request: HoldRequest) -> tuple[str, ...]:
    if request.kind == "session":
        raise ValueError("session messages are charged by wallet.session")
    quote = request.quote
    return (
        request.message_id,
        ("s" if request.sent else "h") + KIND_LETTERS[request.kind],
        str(quote.quoted),
        request.facts,
        prices_text(quote.prices, quote.others),
    )


def hold(slug: str, request: HoldRequest) -> Command[Charge]:
    """Hold the quoted price; the message ID is the operation ID."""
    message_id = request.message_id
    return wallet_command("hold", slug, _hold_words(request), _charge(message_id), message_id)


def hold_many(slug: str, requests: Sequence[HoldRequest]) -> Command[list[Charge]]:
    """Hold up to BATCH_LIMIT messages, each separately, in their order."""
    _check_count(requests)
    ids = [request.message_id for request in requests]
    words = [word for request in requests for word in _hold_words(request)]
    return wallet_command("hold", slug, words, _charges(ids), ids[0])


def sent(slug: str, message_ids: Sequence[str]) -> Command[list[Charge]]:
    """Mark up to BATCH_LIMIT held messages as sent, just before the hand-over."""
    _check_count(message_ids)
    ids = [check_id(message_id) for message_id in message_ids]
    return wallet_command("sent", slug, ids, _charges(ids), ids[0])


def report(slug: str, report: DeliveryReport) -> Command[Charge]:
    """Apply one status report."""
    message_id = report.message_id
    return wallet_command(
        "report", slug, (message_id, report.word), _charge(message_id), message_id
    )


def report_many(slug: str, reports: Sequence[DeliveryReport]) -> Command[list[Charge]]:
    """Apply up to BATCH_LIMIT reports, in their order."""
    _check_count(reports)
    ids = [item.message_id for item in reports]
    words = [word for item in reports for word in (item.message_id, item.word)]
    return wallet_command("report", slug, words, _charges(ids), ids[0])


def cancel(slug: str, message_id: str) -> Command[Charge]:
    """Cancel a message that is held and not sent; all is returned."""
    check_id(message_id)
    return wallet_command("cancel", slug, (message_id,), _charge(message_id), message_id)


def cancel_many(slug: str, message_ids: Sequence[str]) -> Command[list[Charge]]:
    """Cancel up to BATCH_LIMIT messages."""
    _check_count(message_ids)
    ids = [check_id(message_id) for message_id in message_ids]
    return wallet_command("cancel", slug, ids, _charges(ids), ids[0])


def session(slug: str, request: HoldRequest) -> Command[Charge]:
    """Charge a session message at its only price; the answer is settled, unpaid or a refusal."""
    message_id, quote = request.message_id, request.quote
    if len(quote.prices) != 1 or quote.others:
        raise ValueError("a session message has one price")
    words = (message_id, str(quote.quoted), request.facts, prices_text(quote.prices, {}))
    return wallet_command("session", slug, words, _charge(message_id), message_id)
