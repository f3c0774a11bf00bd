"""What must be true of money: judged by the gateway's own ledger, by SQL and by Redis.

The gateway's ledger has what was delivered; SQL has what was paid. Chatbots hold each message by
the public interface and hand it over, and the gateway reports: interim, final, twice, out of order.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from tests.chaos.resting import until_right
from tests.chaos.stack import Stack

HEAL_SECONDS = 60.0
OPEN = ("held", "sent")
MONEY_KINDS = ("recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand")


class BrokenBooksError(AssertionError):
    """Money was lost or created, or a charge differs from the stored price."""


@dataclass(frozen=True)
class Delivered:
    """A message that the gateway took. `mode`: "" if not delivered; `told`: reports taken."""

    account: str
    message_id: str
    mode: str
    ended: bool
    told: int


@dataclass(frozen=True)
class Charged:
    """A message as the books have it. `net`: what the journal took for it, by all its entries."""

    account: str
    message_id: str
    state: str
    mode: str
    quoted: int
    net: int
    prices: Mapping[str, int]

    @property
    def expected(self) -> int:
        """The stored price of its state: its mode's, at most the quote; all while it is open."""
        if self.state in OPEN:
            return self.quoted
        if self.state == "settled":
            return min(self.prices.get(self.mode, self.quoted), self.quoted)
        return 0


@dataclass(frozen=True)
class Judged:
    """What was judged at the end, in numbers.

    `unexplained` units: delivered less paid, beyond the operators' list. 0, unless Redis lost what
    it had acknowledged.
    """

    delivered: int = 0
    messages: int = 0
    unexplained: int = 0


def accounts(stack: Stack) -> list[str]:
    """Return the accounts that chatbots send for."""
    return sorted({chatbot["account"] for chatbot in stack.simulation.get("chatbots", [])})


def handed_over(stack: Stack) -> int:
    """Return how many messages the gateway has taken so far."""
    return sum(line.startswith('{"op": "accept"') for line in _lines(stack))


def _lines(stack: Stack) -> list[str]:
    path = stack.folder / "gateway.jsonl"
    if not path.exists():
        return []
    return [line for line in path.read_text().splitlines(keepends=True) if line.endswith("\n")]


def read_ledger(lines: Iterable[str]) -> dict[tuple[str, str], Delivered]:
    """Read the gateway's books."""
    found: dict[tuple[str, str], Delivered] = {}
    for line in lines:
        fact = json.loads(line)
        key = (fact["account"], fact["id"])
        known = found.get(key, Delivered(*key, "", ended=False, told=0))
        if fact["op"] == "end":
            known = Delivered(*key, fact["m"], ended=True, told=known.told)
        elif fact["op"] == "report":
            told = max(known.told, fact["place"] + 1)
            known = Delivered(*key, known.mode, known.ended, told)
        found[key] = known
    return found


# -- after each fault ------------------------------------------------------------------------------


def first_problem(stack: Stack, handed_over_before: int) -> str:
    """Return what is not healed: safe mode, a wallet without holds, red books, nothing sent."""
    if not accounts(stack):
        return ""
    return (
        _in_safe_mode(stack)
        or _not_open(stack)
        or ("" if handed_over(stack) > handed_over_before else "no message sent since the fault")
        or audit(stack)
    )


def _in_safe_mode(stack: Stack) -> str:
    rows = stack.sql(
        "SELECT a.slug FROM billing_wallet w JOIN access_account a ON a.id = w.account_id"
        " WHERE w.recovering_since IS NOT NULL"
    )
    return f"in safe mode: {[slug for (slug,) in rows]}" if rows else ""


def _not_open(stack: Stack) -> str:
    """Return the wallets that are not open, as text.

    Raise BrokenBooksError if a balance is below zero, which no healing excuses.
    """
    with stack.redis_client() as client:
        for slug in accounts(stack):
            conf, bal, held = client.hmget("{acct." + slug + "}", "conf", "bal", "held")
            if int(bal or 0) < 0 or int(held or 0) < 0:
                raise BrokenBooksError(f"{slug} is below zero: {bal} spendable, {held} held")
            if (conf or "lost")[0] != "o":
                return f"{slug} is not open: {(conf or 'lost')[:1]}"
    return ""


def trimmed_too_early(stack: Stack) -> dict[str, tuple[int, int]]:
    """Return accounts whose Redis trimmed entries that SQL lacks: (trimmed up to, in SQL)."""
    rows = stack.sql(
        "SELECT a.slug, w.generation, w.seq FROM billing_wallet w"
        " JOIN access_account a ON a.id = w.account_id"
    )
    found = {}
    with stack.redis_client() as client:
        for slug, generation, seq in rows:
            its, drained = client.hmget("{acct." + slug + "}", "generation", "drained")
            if its == str(generation) and int(drained or 0) > _seq_now(stack, slug, seq):
                found[slug] = (int(drained or 0), seq)
    return found


def _seq_now(stack: Stack, slug: str, seq: int) -> int:
    """Return SQL's sequence number, read again after Redis': a batch may be written in between."""
    rows = stack.sql(
        "SELECT w.seq FROM billing_wallet w JOIN access_account a ON a.id = w.account_id"
        " WHERE a.slug = %s",
        slug,
    )
    return int(rows[0][0]) if rows else seq


def audit(stack: Stack) -> str:
    """Return what `manage.py audit` complains about, or "" if it is green."""
    result = stack.manage("audit")
    return "" if result.returncode == 0 else f"audit: {(result.stdout + result.stderr)[-600:]}"


# -- at the end, with the chatbots at rest ---------------------------------------------------------


def books_are_at_rest(stack: Stack, *, lossless: bool) -> Judged:
    """Check, with no chatbot sending, that all reports are in the books at the stored prices.

    lossless: nothing made Redis lose what it had acknowledged, so the operators' list accounts for
    all that was delivered and not paid, to the unit.
    """
    if not accounts(stack):
        return Judged()
    for wrong in (_untold, _unended, audit) if lossless else (_untold, audit):
        until_right(partial(wrong, stack), HEAL_SECONDS, BrokenBooksError)
    charged = read_charges(stack)
    ledger = read_ledger(_lines(stack))
    check_charges(charged.values())
    check_batches(stack.sql(_BROKEN_BATCHES))
    unexplained = difference(ledger, charged) - listed(stack, ledger)
    if lossless and unexplained:
        raise BrokenBooksError(f"{unexplained} units were delivered, not paid, and not listed")
    return Judged(len(ledger), len(charged), unexplained)


def _untold(stack: Stack) -> str:
    """Return the messages for which the gateway has not sent a report yet, as text, or ""."""
    left = [each for each in read_ledger(_lines(stack)).values() if not each.ended or not each.told]
    return f"the gateway has not told of {len(left)}: {left[:2]}" if left else ""


def _unended(stack: Stack) -> str:
    charged = read_charges(stack)
    open_ones = [
        key
        for key, each in read_ledger(_lines(stack)).items()
        if each.ended and (key not in charged or charged[key].state in (*OPEN, "parked"))
    ]
    return f"{len(open_ones)} messages have no end in SQL: {open_ones[:3]}" if open_ones else ""


_CHARGES = """
SELECT a.slug, m.message_id, m.state, m.mode, m.quoted, m.prices, -COALESCE(SUM(j.spendable), 0)
FROM billing_message m
JOIN billing_wallet w ON w.id = m.wallet_id JOIN access_account a ON a.id = w.account_id
LEFT JOIN billing_journalentry j ON j.wallet_id = m.wallet_id AND j.operation_id = m.message_id
  AND NOT j.kind = ANY(%s)
GROUP BY a.slug, m.id
"""
_BROKEN_BATCHES = """
SELECT wallet_id, generation, batch_number, before, first_seq FROM (
  SELECT wallet_id, generation, batch_number, first_seq,
    lag(last_seq) OVER (PARTITION BY wallet_id, generation ORDER BY batch_number) AS before
  FROM billing_batch) AS b
WHERE first_seq <> COALESCE(before, 0) + 1
"""


def read_charges(stack: Stack) -> dict[tuple[str, str], Charged]:
    """Read every message of the books."""
    return {
        (slug, message_id): Charged(
            slug, message_id, state, mode, quoted, int(net), read_prices(prices)
        )
        for slug, message_id, state, mode, quoted, prices, net in stack.sql(
            _CHARGES, list(MONEY_KINDS)
        )
    }


def read_prices(text: str) -> dict[str, int]:
    """Return every stored price, within the quote and outside it."""
    words = text.replace(";", ",").split(",")
    pairs = (word.split("=") for word in words if "=" in word)
    return {mode: int(price) for mode, price in pairs}


def check_charges(charged: Iterable[Charged]) -> None:
    """Raise unless each message's net charge is the stored price of its state."""
    wrong = [each for each in charged if each.net != each.expected]
    if wrong:
        raise BrokenBooksError(f"{len(wrong)} messages are charged wrongly: {wrong[:3]}")


def check_batches(broken: list[tuple[object, ...]]) -> None:
    """Raise if a batch does not begin where the previous one ended."""
    if broken:
        raise BrokenBooksError(f"batches do not follow each other: {broken[:3]}")


def difference(
    ledger: Mapping[tuple[str, str], Delivered], charged: Mapping[tuple[str, str], Charged]
) -> int:
    """Return delivered less paid, over ended messages that gateway and customers both have."""
    total = 0
    for key, its in ledger.items():
        known = charged.get(key)
        if known is not None and its.ended and known.state not in OPEN:
            worth = known.prices.get(its.mode, known.quoted) if its.mode else 0
            total += worth - known.net
    return total


def listed(stack: Stack, ledger: Mapping[tuple[str, str], Delivered]) -> int:
    """Return the units that the operators' list shows for these messages."""
    rows = stack.sql(
        "SELECT a.slug, f.message_id, f.difference FROM billing_flaggedreport f"
        " JOIN billing_wallet w ON w.id = f.wallet_id JOIN access_account a ON a.id = w.account_id"
    )
    return sum(amount for slug, message_id, amount in rows if (slug, message_id) in ledger)
