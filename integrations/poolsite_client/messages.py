"""How senders and gateways charge messages, without I/O: holds, sends, reports, sessions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypedDict
from urllib.parse import quote

from .errors import RejectedError
from .steps import Body, Item, Steps, ask, ask_all


class HoldWords(TypedDict, total=False):
    """The options of a message: a `template`, or its parts. sent: also mark it as sent.

    chatbot: the sender; not needed with a chatbot's token. fallback: the mode that the gateway uses
    if the native message fails; `by_terminal` looks up which modes `to` can show.
    """

    chatbot: str
    template: int
    to: str
    native: Literal["text", "card"]
    fallback: Literal["none", "yuexin", "video", "by_terminal"]
    text: str
    yuexin_text: str
    card_kilobytes: int
    video_kilobytes: int
    sent: bool


class SessionWords(TypedDict, total=False):
    """A session message: its sender and its text."""

    chatbot: str
    text: str


@dataclass(frozen=True, slots=True)
class MessageResult:
    """The result of a request about a message, or of an earlier request with the same content.

    Amounts are in the account's currency. held: until the message ends. charged: when it has ended.
    spendable, seq: of the balance afterwards. fallback: the mode that `by_terminal` has found.
    """

    message_id: str
    outcome: str
    state: str
    quoted: Decimal
    held: Decimal
    charged: Decimal
    spendable: Decimal
    seq: int
    flag: str
    fallback: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """The current state of a message."""

    message_id: str
    kind: str
    state: str
    mode: str
    chatbot: str
    quoted: Decimal
    held: Decimal
    charged: Decimal


@dataclass(frozen=True, slots=True)
class Balance:
    """The figures of an account. `status` is open, frozen, closed or recovering; as_of is in µs.

    spendable: balance and credit limit together, at least 0. promotional: the part of the balance
    that is promotional credit. A server of the previous release doesn't return balance,
    credit_limit and promotional: then balance is the spendable amount, and the other two are 0.
    """

    currency: str
    status: str
    spendable: Decimal
    held: Decimal
    receivable: Decimal
    spent_today: Decimal
    daily_limit: Decimal
    open_holds: int
    seq: int
    as_of: int
    balance: Decimal
    credit_limit: Decimal
    promotional: Decimal


def path_of(account: str, verb: str) -> str:
    """Return the path of one of an account's routes."""
    return f"/api/v1/accounts/{quote(account, safe='')}/{verb}"


def hold(account: str, message_id: str, words: HoldWords) -> Steps[MessageResult]:
    """Hold the highest price that a message can cost.

    The same ID and message are held only once.
    """
    return _one(account, "holds", {"message_id": message_id, **words})


def sent(account: str, message_id: str) -> Steps[MessageResult]:
    """Mark a held message as sent, just before it is handed over."""
    return _one(account, "sent", {"message_id": message_id})


def cancel(account: str, message_id: str) -> Steps[MessageResult]:
    """Cancel a message that was not sent, and release its hold. It can never be sent afterwards."""
    return _one(account, "cancellations", {"message_id": message_id})


def settle(
    account: str, message_id: str, *, final: bool, delivered: bool, mode: str | None
) -> Steps[MessageResult]:
    """Report a message's status. A final report charges the mode's price, or returns the hold."""
    report: dict[str, Any] = {"message_id": message_id, "final": final, "delivered": delivered}
    if mode is not None:
        report["mode"] = mode
    return _one(account, "settlements", report)


def session(account: str, message_id: str, words: SessionWords) -> Steps[MessageResult]:
    """Hold and settle a session message in one step."""
    return _one(account, "sessions", {"message_id": message_id, **words})


def _one(account: str, verb: str, item: Mapping[str, Any]) -> Steps[MessageResult]:
    answer = yield from ask(path_of(account, verb), item)
    return _result(answer.body)


def send(
    account: str, verb: str, items: Sequence[Mapping[str, Any]]
) -> Steps[list["MessageResult | RejectedError"]]:
    """Send many items to the same route in order, and return a result for each.

    verb: the route's name.
    """
    told = yield from ask_all(path_of(account, verb), items)
    return [_told(item) for item in told]


def message(account: str, message_id: str) -> Steps[Message]:
    """Return the current state of a message, regardless of how long ago it ended."""
    path = path_of(account, f"messages/{quote(message_id, safe='')}")
    body = (yield from ask(path, method="GET")).body
    return Message(
        message_id=body["message_id"],
        kind=body["kind"],
        state=body["state"],
        mode=body["mode"],
        chatbot=body["chatbot"],
        quoted=Decimal(body["quoted"]),
        held=Decimal(body["held"]),
        charged=Decimal(body["charged"]),
    )


def balance(account: str) -> Steps[Balance]:
    """Return the account's figures."""
    body = (yield from ask(path_of(account, "balance"), method="GET")).body
    return Balance(
        currency=body["currency"],
        status=body["status"],
        spendable=Decimal(body["spendable"]),
        held=Decimal(body["held"]),
        receivable=Decimal(body["receivable"]),
        spent_today=Decimal(body["spent_today"]),
        daily_limit=Decimal(body["daily_limit"]),
        open_holds=body["open_holds"],
        seq=body["seq"],
        as_of=body["as_of"],
        balance=Decimal(body.get("balance", body["spendable"])),
        credit_limit=Decimal(body.get("credit_limit", "0")),
        promotional=Decimal(body.get("promotional", "0")),
    )


def _told(item: Item) -> "MessageResult | RejectedError":
    return item if isinstance(item, RejectedError) else _result(item)


def _result(body: Body) -> MessageResult:
    return MessageResult(
        message_id=body["message_id"],
        outcome=body["outcome"],
        state=body["state"],
        quoted=Decimal(body["quoted"]),
        held=Decimal(body["held"]),
        charged=Decimal(body["charged"]),
        spendable=Decimal(body["spendable"]),
        seq=body["seq"],
        flag=body["flag"],
        fallback=body.get("fallback"),
    )
