"""Commands that only read a wallet, and their results."""

from collections.abc import Sequence
from dataclasses import dataclass

from billing.wallet import reasons
from billing.wallet.building import accepted, wallet_command
from billing.wallet.giving import Grant, read_grants
from billing.wallet.life import STATUS
from billing.wallet.messages import MessageState, parse_message
from billing.wallet.settings import WalletSettings
from poolsite.hotpath import Command


@dataclass(frozen=True, slots=True)
class Balance:
    """A wallet at one moment.

    `bal` is the balance, below zero where credit is used. `pend` is the signed sum of entries not
    in SQL. `credit` is the credit limit. `grants` is promotional credit, a part of `bal`. `spent`
    is of this day in the account's time zone. `open`, `parked`, `unpaid` count messages of that
    kind, `messages` all that Redis has. `due_at_us` is the earliest deadline of an open hold.
    """

    status: str
    generation: int
    seq: int
    drained: int
    bal: int
    pend: int
    held: int
    receivable: int
    spent: int
    batch: int
    batch_first: int
    batch_last: int
    batch_amount: int
    reason: str
    as_of_us: int
    open: int
    parked: int
    unpaid: int
    messages: int
    finals: int
    operations: int
    due_at_us: int | None
    credit: int
    grants: tuple[Grant, ...]
    settings: WalletSettings

    @property
    def promotional(self) -> int:
        """The rest of the promotional credit; `bal` includes it."""
        return sum([each.left for each in self.grants])

    @property
    def spendable(self) -> int:
        """What can be spent now: balance and credit limit together, never below zero."""
        return max(0, self.bal + self.credit)

    @property
    def backlog(self) -> int:
        """The number of change entries that have not reached SQL."""
        return self.seq - self.drained

    @property
    def has_due(self) -> bool:
        """Whether an open hold, or promotional credit, is past its time.

        A sweep ends or postpones it.
        """
        due = self.due_at_us is not None and self.due_at_us < self.as_of_us
        due = due or (bool(self.grants) and self.grants[0].expires_us < self.as_of_us)
        return due and self.status != "recovering"


_NUMBERS = (
    *("generation", "seq", "drained", "bal", "pend", "held", "receivable", "spent", "batch"),
    *("batch_first", "batch_last", "batch_amount", "open", "parked", "unpaid", "messages"),
    *("finals", "operations", "credit"),
)


def balance(slug: str) -> Command[Balance | None]:
    """Read a wallet's figures. Return None if Redis has no such wallet."""

    def read(reply: list[str]) -> Balance | None:
        if reply[0] == "-1":
            return None
        pairs = dict(zip(reply[::2], reply[1::2], strict=True))
        return Balance(
            status=STATUS[pairs["conf"][0]],
            reason=pairs["reason"],
            as_of_us=int(pairs["as_of"]),
            grants=read_grants(pairs["grants"]),
            due_at_us=int(pairs["due_at"]) if pairs["due_at"] else None,
            settings=WalletSettings.from_conf(pairs["conf"], int(pairs["credit"])),
            **{name: int(pairs[name]) for name in _NUMBERS},
        )

    return wallet_command("balance", slug, (), read)


def message(slug: str, message_id: str) -> Command[MessageState | None]:
    """Read one message. Return None if Redis has no such wallet or message."""

    def read(reply: list[str]) -> MessageState | None:
        return None if reply[0] == "-1" else parse_message(message_id, reply[1])

    return wallet_command("message", slug, (message_id,), read)


def messages(slug: str, message_ids: Sequence[str]) -> Command[dict[str, MessageState]]:
    """Read up to 1 000 messages; missing ones are left out."""
    wanted = tuple(message_ids)

    def read(reply: list[str]) -> dict[str, MessageState]:
        if reply[0] == "-1" and reply[1] == reasons.NO_SUCH_WALLET:
            return {}
        found = zip(wanted, accepted(reply)[1:], strict=True)
        states = (parse_message(message_id, text) for message_id, text in found)
        return {state.message_id: state for state in states if state is not None}

    return wallet_command("message", slug, wanted, read)


@dataclass(frozen=True, slots=True)
class OpenHolds:
    """A part of the open holds: their sum, and the wallet's `held`.

    If `count` fits in one part, one call proves the wallet: total == held, wrong == 0. Several
    parts belong together if `seq` has not changed.
    """

    seq: int
    held: int
    count: int
    total: int
    wrong: int


def open_holds(slug: str, first: int = 0, count: int = 5_000) -> Command[OpenHolds | None]:
    """Sum up to 5 000 open holds from position `first` on.

    Return None if Redis has no such wallet.
    """

    def read(reply: list[str]) -> OpenHolds | None:
        if reply[:2] == ["-1", reasons.NO_SUCH_WALLET]:
            return None
        return OpenHolds(*map(int, accepted(reply)[1:]))

    return wallet_command("open_holds", slug, (first, count), read)
