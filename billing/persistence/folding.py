"""What a batch's entries mean for messages, flagged reports and receivables."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from billing.models.messages import Kind, State
from billing.persistence.entries import LISTED_FLAGS, AccountBatch, Change

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = frozenset(Kind.values)
_STATES = frozenset(State.values)
_SENT_KINDS = frozenset({"sent"})
_ENDED = frozenset({State.SETTLED, State.FAILED, State.EXPIRED, State.CANCELLED})
MONEY_KINDS = frozenset({"recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand"})


def moment(at_us: int) -> datetime:
    """Return the time of so many µs since 1970."""
    return _EPOCH + timedelta(microseconds=at_us)


@dataclass(slots=True)
class MessageDelta:
    """What a batch says of one message. "" and None = nothing said; `charged` is added."""

    wallet_id: int
    message_id: str
    kind: str = ""
    body_hash: str = ""
    chatbot: str = ""
    tariff_id: int | None = None
    state: str = ""
    mode: str = ""
    quoted: int | None = None
    charged: int = 0
    flag: str = ""
    held_at: datetime | None = None
    sent_at: datetime | None = None
    ended_at: datetime | None = None
    forgotten: bool = False  # a parked report that became an orphan: no message any more

    def take(self, change: Change) -> None:
        """Add one entry, in order of `seq`."""
        at = moment(change.at_us)
        self.kind = change.message_kind or self.kind
        self.body_hash = change.body_hash or self.body_hash
        self.chatbot = change.chatbot or self.chatbot
        self.tariff_id = change.tariff_id or self.tariff_id
        self.mode = (
            change.mode or self.mode or (change.reported_mode if self._parks(change) else "")
        )
        self.flag = change.flag if change.flag in LISTED_FLAGS else self.flag
        if change.quoted:
            self.quoted = change.quoted
        if self.held_at is None and change.kind in ("hold", "session"):
            self.held_at = at
        before, self.forgotten = self.state, change.state == "none"
        self.state = change.state if change.state in _STATES else self.state
        if self.state == State.SENT and before != State.SENT:
            self.sent_at = self.sent_at or at
        if change.state in _ENDED:
            self.ended_at = self.ended_at or at
        self.charged += message_charge(change)

    @staticmethod
    def _parks(change: Change) -> bool:
        return change.state == State.PARKED


def message_charge(change: Change) -> int:
    """Return what this entry charged for its message: what was kept of the customer's money."""
    if change.kind in MONEY_KINDS:
        return 0
    return change.counter_leg


def messages_of(batches: Iterable[AccountBatch]) -> list[MessageDelta]:
    """Fold the entries of many accounts into one delta per message."""
    deltas: dict[tuple[int, str], MessageDelta] = {}
    for batch in batches:
        for change in batch.changes:
            if not change.state or not change.identifier or change.kind in MONEY_KINDS:
                continue
            key = (batch.wallet_id, change.identifier)
            delta = deltas.get(key)
            if delta is None:
                delta = deltas[key] = MessageDelta(batch.wallet_id, change.identifier)
            delta.take(change)
    return list(deltas.values())
