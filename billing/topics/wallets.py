"""Topics of wallets, exact to the unit.

`billing.wallet:<slug>`: a wallet's figures and its newest movements. `billing.figures:<slug>`: only
the figures, for lists of many wallets.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from billing import wallet as commands
from billing.models import Adjustment, Campaign, JournalEntry, Recharge
from billing.selectors import people
from billing.topics.lines import (
    LINES,
    LedgerLine,
    Moved,
    apply_lines,
    joined,
    lines_of,
    newest,
    of_entry,
    of_row,
)
from billing.topics.scope import WalletTopicBase
from poolsite import live
from poolsite.live.tail import version_at

OLDER_ROWS = 400  # of the journal, if the stream's tail has too few lines


def figures_of(now: commands.Balance | None) -> dict[str, Any]:
    """Return a wallet's figures for pages; `status` is "missing" while Redis has no such wallet.

    `seq` is its last entry. `lag` counts entries not yet seen in SQL. Amounts are in units.
    """
    if now is None:
        return {"status": "missing"}
    return {
        "status": now.status,
        "spendable": now.spendable,
        "balance": now.bal,
        "credit_limit": now.credit,
        "promotional": now.promotional,
        "held": now.held,
        "receivable": now.receivable,
        "spent_today": now.spent,
        "seq": now.seq,
        "lag": now.backlog,
    }


@live.register
class WalletFiguresTopic(WalletTopicBase):
    """The figures of `figures_of`; a change is the new state."""

    name = "billing.figures"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._last: dict[str, Any] = {}

    async def snapshot(self) -> live.Snapshot:
        await self.ref()
        now = await self.balance()
        self._last = figures_of(now)
        return live.Snapshot(version_at(now.generation, now.seq) if now else 0, self._last)

    async def changes(self, since: int) -> live.Changes | None:
        before = self._last
        now = await self.snapshot()
        return live.Changes(now.version, None if now.data == before else now.data)


@live.register
class WalletTopic(WalletTopicBase):
    """Snapshot: the figures and `lines`, the newest 40, newest first (billing/topics/lines.py).

    Change: the figures, and the lines that are new or have grown. If a line began before the
    stream's tail and the books' last 400 entries, it counts only the entries shown.
    """

    name = "billing.wallet"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._version = -1
        self._figures: dict[str, Any] = {}
        self._lines: dict[str, LedgerLine] = {}
        self._names: dict[str, str] = {}

    async def snapshot(self) -> live.Snapshot:
        await self.ref()
        now = await self.balance()
        if now is None:
            self._version, self._lines = 0, {}
            rows = await live.in_thread(_rows_before, self.slug, 0, 0)
            balance = await live.in_thread(_books_balance, self.slug)
            books = await self._named(newest(lines_of(rows, balance).values()))
            self._figures = figures_of(None)
            return live.Snapshot(0, self._state(books))
        tail = self.tail()
        await tail.read()
        version = version_at(now.generation, now.seq)
        moved = [of_entry(entry) for entry in tail.remembered() if entry.seq <= now.seq]
        if tail.generation != now.generation:
            moved = []
        lines = lines_of(moved, now.bal)
        if len(lines) < LINES:
            first = moved[0].seq if moved else now.seq + 1
            older = await live.in_thread(_rows_before, self.slug, now.generation, first)
            lines = lines_of([*older, *moved], now.bal)
        shown = await self._named(newest(lines.values()))
        self._lines = {line.key: line for line in shown}
        self._version, self._figures = version, figures_of(now)
        return live.Snapshot(version, self._state(shown))

    async def changes(self, since: int) -> live.Changes | None:
        if self._version != since or self._figures.get("status") == "missing":
            return await self._again(since)
        await self.ref()
        now = await self.balance()
        tail = self.tail()
        await tail.read()
        until = version_at(now.generation, now.seq) if now else 0
        entries = tail.since(since, until) if now else None
        if now is None or entries is None:
            return None
        fresh = lines_of([of_entry(entry) for entry in entries], now.bal)
        lines = joined(self._lines, fresh)
        changed = await self._named(lines[key] for key in fresh)
        lines |= {line.key: line for line in changed}
        self._lines = {line.key: line for line in newest(lines.values())}
        before, self._figures = self._figures, figures_of(now)
        self._version = until
        if not changed and before == self._figures:
            return live.Changes(until, None)
        return live.Changes(until, self._state(newest(changed)))

    async def _again(self, since: int) -> live.Changes | None:
        """Handle a gap or a missing wallet: no change, or None for a new snapshot."""
        before = self._figures
        found = await self.snapshot()
        if found.version == since and self._figures == before:
            return live.Changes(since, None)
        self._version = -1
        return None

    def _state(self, lines: Iterable[LedgerLine]) -> dict[str, Any]:
        return {**self._figures, "lines": [line.as_json() for line in lines]}

    async def _named(self, lines: Iterable[LedgerLine]) -> list[LedgerLine]:
        """Return the lines with their causes' names: a campaign's name, a movement's reason."""
        found = list(lines)
        unknown = {line.cause for line in found} - set(self._names)
        if unknown and self._ref is not None:
            self._names |= await live.in_thread(names_of, self._ref.wallet_id, unknown)
        return [replace(line, name=self._names.get(line.cause, "")) for line in found]

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        return apply_lines(data, change)


def _rows_before(slug: str, generation: int, seq: int) -> list[Moved]:
    """Return the journal's newest entries before one, in order; generation 0 means from the end."""
    rows = JournalEntry.objects.filter(wallet__account__slug=slug)
    if generation:
        earlier = rows.filter(generation__lt=generation)
        rows = rows.filter(generation=generation, seq__lt=seq) | earlier
    found = [of_row(row) for row in rows.order_by("-generation", "-seq")[:OLDER_ROWS]]
    # Sequence numbers restart with each generation of the data; lines are ordered by them.
    return [
        replace(one, seq=seq - place - 1 if generation else -place)
        for place, one in enumerate(found)
    ][::-1]


def _books_balance(slug: str) -> int:
    from billing.models import Wallet

    return int(Wallet.objects.values_list("spendable", flat=True).get(account__slug=slug))


def names_of(wallet_id: int, causes: Iterable[str]) -> dict[str, str]:
    """Return names of causes; those without a name are "", so that no cause is read twice.

    A campaign has its own name. A movement of money has its reason, and who requested and approved
    it, or who paid. Names contain no words of a language: readers of all languages share them.
    """
    found = dict.fromkeys(causes, "")
    campaigns = {int(cause[1:]): cause for cause in found if _is_number(cause, "c")}
    rows = Campaign.objects.filter(pk__in=campaigns, wallet=wallet_id)
    found |= {campaigns[pk]: name for pk, name in rows.values_list("pk", "name")}
    adjustments = Adjustment.objects.filter(wallet=wallet_id, operation_id__in=list(found))
    for row in adjustments.select_related("asked_by", "decided_by"):
        operators = [user.display_name for user in (row.asked_by, row.decided_by) if user]
        found[row.operation_id] = f"{row.reason} · {', '.join(operators)}"
    recharges = {
        int(cause.partition(":")[2]): cause for cause in found if _is_number(cause, "recharge:")
    }
    payers = Recharge.objects.filter(wallet=wallet_id, pk__in=recharges, is_automatic=False)
    paid = dict(payers.values_list("pk", "requested_by"))
    names = people.names_of(paid.values())
    return found | {recharges[pk]: names[payer] for pk, payer in paid.items()}


def _is_number(cause: str, prefix: str) -> bool:
    rest = cause.removeprefix(prefix)
    return rest != cause and rest.isascii() and rest.isdecimal() and len(rest) < 19
