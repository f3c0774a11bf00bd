"""A message's state: as the compact text in Redis, and as a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

STATES: Final = {
    "": "",
    "p": "parked",
    "h": "held",
    "s": "sent",
    "t": "settled",
    "f": "failed",
    "e": "expired",
    "c": "cancelled",
    "u": "unpaid",
}
STATE_LETTERS: Final = {word: letter for letter, word in STATES.items()}
KINDS: Final = {"": "", "m": "message", "c": "call", "s": "session"}
KIND_LETTERS: Final = {word: letter for letter, word in KINDS.items()}
OPEN: Final = ("held", "sent")
NO_DAY: Final = "00000"  # not on this day


@dataclass(frozen=True, slots=True)
class MessageState:
    """One message as the wallet has it. `since_us`: when the state began.

    `prices` are those of the quote, `others` the tariff's prices for modes outside it. `parked` is
    the report that waits, "failed" or a mode. `seen` has the flags that were listed already,
    "late:video". `grants` is the promotional credit that it took, "g7=300,g9=20".
    """

    message_id: str
    state: str
    kind: str
    since_us: int
    quoted: int = 0
    charged: int = 0
    mode: str = ""
    body_hash: str = ""
    tariff_id: int | None = None
    chatbot: str = ""
    prices: Mapping[str, int] = field(default_factory=dict)
    others: Mapping[str, int] = field(default_factory=dict)
    parked: str = ""
    seen: tuple[str, ...] = ()
    grants: str = ""


def facts_text(body_hash: str, tariff_id: int | None, chatbot: str) -> str:
    """Return the data that never changes for a message: three fields separated by tabs."""
    return f"{body_hash}\t{'' if tariff_id is None else tariff_id}\t{chatbot}"


def prices_text(prices: Mapping[str, int], others: Mapping[str, int]) -> str:
    """Return ",mode=price" for each mode of the quote, ";mode=price" for each outside it."""
    return "".join(
        [
            *(f",{mode}={price}" for mode, price in prices.items()),
            *(f";{mode}={price}" for mode, price in others.items()),
        ]
    )


def state_text(state: MessageState, day: str = NO_DAY) -> str:
    """Return the stored form. `day` is the number of the day of the hold."""
    if state.state == "parked":
        outcome = "f" if state.parked == "failed" else "d" + state.parked
    else:
        outcome = f"{state.mode}={state.charged}" if state.state == "settled" else ""
    return (
        f"{STATE_LETTERS[state.state]}{KIND_LETTERS[state.kind]}{day}{state.since_us:016d}"
        f"{state.quoted}|{outcome}{''.join('!' + seen for seen in state.seen)}"
        f"|{facts_text(state.body_hash, state.tariff_id, state.chatbot)}"
        f"|{prices_text(state.prices, state.others)}"
        f"{'|' + state.grants if state.grants else ''}"
    )


def parse_message(message_id: str, text: str) -> MessageState | None:
    """Return a stored state, or None for "". Raise ValueError for a text of no script of ours."""
    if not text:
        return None
    try:
        quoted, outcome, facts, prices, *grants = text[23:].split("|")
        body_hash, tariff_id, chatbot = facts.split("\t")
        kept, *seen = outcome.split("!")
        state = STATES[text[0]]
        mode, _, charged = kept.partition("=") if state == "settled" else ("", "", "")
        return MessageState(
            message_id=message_id,
            state=state,
            kind=KINDS[text[1]],
            since_us=int(text[7:23]),
            quoted=int(quoted),
            charged=int(quoted) if state in OPEN else int(charged or 0),
            mode=mode,
            body_hash=body_hash,
            tariff_id=int(tariff_id) if tariff_id else None,
            chatbot=chatbot,
            prices=_prices(prices, ","),
            others=_prices(prices, ";"),
            parked=("failed" if kept == "f" else kept[1:]) if state == "parked" else "",
            seen=tuple(seen),
            grants=grants[0] if grants else "",
        )
    except (KeyError, ValueError) as error:
        raise ValueError(f"not a message of a wallet: {text!r}") from error


def _prices(text: str, sign: str) -> dict[str, int]:
    words = text.replace(",", "\n,").replace(";", "\n;").split("\n")
    pairs = (word[1:].split("=") for word in words if word[:1] == sign)
    return {mode: int(price) for mode, price in pairs}
