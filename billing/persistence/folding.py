"""Combines a batch's entries into the changes of its messages."""

from dataclasses import dataclass

from billing.models.messages import State
from billing.persistence.entries import AccountBatch, counter_leg
from billing.wallet import WalletChange, reasons

_ENDED = frozenset({State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED})


@dataclass(slots=True)
class MessageDelta:
    """A batch's changes of a message. "" and None mean no change; `charged` is added.

    `seconds`: the charged seconds of a call's interval.
    """

    wallet_id: int
    message_id: str
    kind: str = ""
    body_hash: str = ""
    chatbot: str = ""
    tariff_id: int | None = None
    prices: str = ""
    state: str = ""
    mode: str = ""
    quoted: int | None = None
    charged: int = 0
    seconds: int = 0
    flag: str = ""
    held_us: int | None = None
    sent_us: int | None = None
    ended_us: int | None = None
    forgotten: bool = False  # a parked report became an orphan, so its message is deleted

    def take(self, change: WalletChange) -> None:
        """Add an entry. Entries must come in order of `seq`."""
        at = change.at_us
        parks = change.state == State.PARKED
        self.kind = change.message_kind or self.kind
        self.body_hash = change.body_hash or self.body_hash
        self.chatbot = change.chatbot or self.chatbot
        self.tariff_id = change.tariff_id or self.tariff_id
        self.prices = change.prices or self.prices
        self.mode = change.mode or (change.reported if parks else "") or self.mode
        self.flag = change.flag if change.flag in reasons.LISTED else self.flag
        if change.quoted:
            self.quoted = change.quoted
        if self.held_us is None and change.kind in ("hold", "session"):
            self.held_us = at
        before, self.state = self.state, change.state or self.state
        self.forgotten = not change.state and change.flag == reasons.ORPHAN
        if self.state == State.SENT and before != State.SENT:
            self.sent_us = self.sent_us or at
        if change.state in _ENDED:
            self.ended_us = self.ended_us or at
            self.seconds = seconds_of(change) or self.seconds
        self.charged += counter_leg(change)


def seconds_of(change: WalletChange) -> int:
    """Return the charged seconds of a call's interval, or 0 for other entries."""
    if change.message_kind != "call" or change.kind != "settle":
        return 0
    return int(change.reported) if change.reported.isdecimal() else 0


def messages_of(batch: AccountBatch) -> list[MessageDelta]:
    """Combine an account's entries into one delta per message."""
    deltas: dict[str, MessageDelta] = {}
    for change in batch.changes:
        name = change.id
        if not name or not change.of_message:
            continue
        delta = deltas.get(name)
        if delta is None:
            delta = deltas[name] = MessageDelta(batch.wallet_id, name)
        delta.take(change)
    return list(deltas.values())
