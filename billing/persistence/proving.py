"""The proof of the books: five laws for every wallet, and the first entry that breaks one.

1. SQL spendable + pend = bal (the entries waiting in Redis lead from SQL's figure to Redis').
2. Opening + Σ journal = SQL spendable. The same for held money and amounts owed.
3. Σ open holds = held, in SQL. SQL held + Σ waiting entries = Redis held.
4. The rest of the promotions = Σ their moves. With the waiting entries, it is the rest in Redis.
5. Held in Redis is not below zero, and bal less promotions is not below minus the highest credit
   limit so far (SQL itself refuses such a row, promotions aside). The credit limit in Redis is that
   of SQL once it was sent.

In addition, invoices must agree with the journal and be unchanged (`invoices`). A difference names
the wallet, the law, and the first entry that is missing, was changed by hand, or does not add up.
If no entry is wrong, a figure was changed outside the books.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.models import Sum

from billing.models import Batch, JournalCheckpoint, JournalEntry, Wallet
from billing.persistence import checkpoints, invoices
from billing.persistence.comparing import WalletSums, with_redis
from billing.persistence.differences import Difference
from billing.persistence.reading import lives

CHUNK = 500
TRIES = 5  # an account that changes during the read is read again


_SUMS = """
SELECT w.id, w.generation, w.seq, w.spendable, w.held, w.receivable, w.opening,
  w.credit_limit, w.highest_credit_limit, CASE WHEN w.unsent_since IS NULL THEN 0 ELSE 1 END,
  (SELECT COALESCE(SUM(p.remaining), 0) FROM billing_promotion p WHERE p.wallet_id = w.id),
  (SELECT COALESCE(SUM(p.amount), 0) FROM billing_promotionmove p WHERE p.wallet_id = w.id),
  COALESCE(j.entries, 0), COALESCE(j.spendable, 0), COALESCE(j.held, 0), COALESCE(j.receivable, 0),
  COALESCE(m.quoted, 0)
FROM billing_wallet w
LEFT JOIN (SELECT wallet_id, COUNT(*) AS entries, SUM(spendable) AS spendable, SUM(held) AS held,
    SUM(receivable) AS receivable
  FROM billing_journalentry WHERE wallet_id >= %s AND wallet_id <= %s {only} GROUP BY wallet_id) j
  ON j.wallet_id = w.id
LEFT JOIN (SELECT wallet_id, SUM(quoted) AS quoted FROM billing_message
  WHERE wallet_id >= %s AND wallet_id <= %s AND state IN ('held', 'sent') GROUP BY wallet_id) m
  ON m.wallet_id = w.id
WHERE w.id >= %s AND w.id <= %s ORDER BY w.id
"""
# Wallets with checkpoints are read one by one, starting after their last checkpoint.
_SHORT = "AND wallet_id NOT IN (SELECT wallet_id FROM billing_journalcheckpoint)"
_LONG = """
SELECT w.id, w.generation, w.seq, w.spendable, w.held, w.receivable, w.opening,
  w.credit_limit, w.highest_credit_limit, CASE WHEN w.unsent_since IS NULL THEN 0 ELSE 1 END,
  (SELECT COALESCE(SUM(p.remaining), 0) FROM billing_promotion p WHERE p.wallet_id = w.id),
  (SELECT COALESCE(SUM(p.amount), 0) FROM billing_promotionmove p WHERE p.wallet_id = w.id),
  j.entries, j.spendable, j.held, j.receivable,
  (SELECT COALESCE(SUM(quoted), 0) FROM billing_message m
    WHERE m.wallet_id = w.id AND m.state IN ('held', 'sent'))
FROM billing_wallet w
CROSS JOIN (SELECT COUNT(*) AS entries, COALESCE(SUM(spendable), 0) AS spendable,
    COALESCE(SUM(held), 0) AS held, COALESCE(SUM(receivable), 0) AS receivable
  FROM billing_journalentry
  WHERE wallet_id = %s AND (generation > %s OR (generation = %s AND seq > %s))) j
WHERE w.id = %s
"""


def audit(wallets: Sequence[Wallet], *, whole: bool = True) -> list[Difference]:
    """Prove the laws for these wallets, sorted by ID without a gap.

    `whole`: check every entry. Otherwise checkpoints replace the entries that they sum up. Their
    seals are checked, and for each wallet, the checkpoint with the oldest proof is checked entry by
    entry. An account that changes during the read is read again until one read finds it unchanged.
    Raise HotPathError or RedisError if Redis can't be read.
    """
    found = invoices.unlike_of(wallets, whole=whole)
    waiting = list(wallets)
    for turn in range(TRIES):
        again: list[Wallet] = []
        if not waiting:
            break
        redis = lives(waiting)
        rows = _rows(waiting[0].pk, waiting[-1].pk, whole=whole)
        for wallet in waiting:
            row = rows.get(wallet.pk)
            if row is None:
                continue
            differences = _in_sql(wallet, row) + _checkpoints_of(wallet, whole=whole)
            if not differences:
                verdict = with_redis(wallet, row, redis[wallet.pk], last=turn == TRIES - 1)
                if verdict is None:
                    again.append(wallet)
                    continue
                differences = verdict
            found += differences
        waiting = again
    return found


def audit_all(slug: str = "") -> Iterator[tuple[int, list[Difference]]]:
    """Yield (number of wallets checked, differences) in chunks, for every wallet or for one.

    For every wallet, the last chunk has the sequences of invoice numbers.
    """
    after = 0
    while True:
        rows = Wallet.objects.select_related("account").order_by("pk").filter(pk__gt=after)
        if slug:
            rows = rows.filter(account__slug=slug)
        chunk = list(rows[:CHUNK])
        if not chunk:
            if not slug:
                yield 0, invoices.unlike_numbers()
            return
        yield len(chunk), audit(chunk)
        after = chunk[-1].pk


def _rows(first: int, last: int, *, whole: bool) -> Mapping[int, WalletSums]:
    with connection.cursor() as cursor:
        cursor.execute(_SUMS.format(only="" if whole else _SHORT), [first, last] * 3)
        rows = {row[0]: WalletSums(*(int(value) for value in row)) for row in cursor.fetchall()}
        if not whole:
            long_ones = JournalCheckpoint.objects.filter(wallet_id__gte=first, wallet_id__lte=last)
            for wallet_id in long_ones.order_by().values_list("wallet_id", flat=True).distinct():
                rows[wallet_id] = _long_row(cursor, wallet_id)
    return rows


def _long_row(cursor: Any, wallet_id: int) -> WalletSums:
    """Return a wallet's sums: its checkpoints, and by one query the entries after them."""
    closed = list(checkpoints.of_wallet(wallet_id).defer("lines", "counts"))
    last = closed[-1]
    cursor.execute(_LONG, [wallet_id, last.generation, last.generation, last.last_seq, wallet_id])
    row = WalletSums(*(int(value) for value in cursor.fetchone()))
    return replace(
        row,
        entries=row.entries + sum(each.entries for each in closed),
        journal_spendable=row.journal_spendable + sum(each.spendable for each in closed),
        journal_held=row.journal_held + sum(each.held for each in closed),
        journal_receivable=row.journal_receivable + sum(each.receivable for each in closed),
    )


# -- SQL alone ------------------------------------------------------------------------------------


def _in_sql(wallet: Wallet, row: WalletSums) -> list[Difference]:
    checks = (
        ("opening + journal = spendable", row.opening + row.journal_spendable, row.spendable),
        ("journal of held = held", row.journal_held, row.held),
        ("journal of owed = receivable", -row.journal_receivable, row.receivable),
        ("open holds = held", row.open_holds, row.held),
        ("moves of promotions = what is left of them", row.promotion_moves, row.promotional),
    )
    return [
        Difference(wallet.slug, equation, expected, found, first_differing(wallet))
        for equation, expected, found in checks
        if expected != found
    ]


def _checkpoints_of(wallet: Wallet, *, whole: bool) -> list[Difference]:
    """Return the first checkpoint that was changed or does not agree with its entries."""
    closed = list(checkpoints.of_wallet(wallet.pk))
    wrong = checkpoints.first_unsealed(closed)
    if wrong is None and closed:
        due = closed if whole else [min(closed, key=lambda each: each.proven_at)]
        wrong = next((each for each in due if not checkpoints.is_proven(each)), None)
    if wrong is None:
        return []
    entries = JournalEntry.objects.filter(
        wallet=wallet, generation=wrong.generation, seq__range=(wrong.first_seq, wrong.last_seq)
    )
    expected = entries.aggregate(found=Sum("spendable"))["found"] or 0
    name = f"checkpoint {wrong.generation}:{wrong.first_seq}-{wrong.last_seq}"
    entry = first_differing(wallet) or "no entry differs: the checkpoint was changed"
    return [Difference(wallet.slug, f"{name} = its entries", expected, wrong.spendable, entry)]


def first_differing(wallet: Wallet) -> str:
    """Return the first journal entry that is missing, changed or wrong in its batch, or "".

    Reads the wallet's whole journal by keyset: for one account, not for all of them.
    """
    before, generation, expected = "", 0, 1
    batches = _batches(wallet)
    batch, total = next(batches, None), 0
    for entry in _journal(wallet):
        if entry.generation != generation:
            generation, expected = entry.generation, 1
        if entry.seq != expected:
            return f"{generation}:{expected} is missing"
        if checkpoints.digest_of_row(entry, before) != entry.digest:
            return f"{generation}:{entry.seq} ({entry.kind} {entry.operation_id}) was changed"
        before, expected, total = entry.digest, expected + 1, total + entry.spendable
        if batch and (entry.generation, entry.seq) == (batch.generation, batch.last_seq):
            if total != batch.amount:
                return f"{generation}:{batch.first_seq}, batch {batch.batch_number} sums up wrongly"
            batch, total = next(batches, None), 0
    if batch is not None:
        return f"{batch.generation}:{expected} is missing"
    if before != wallet_digest(wallet):
        return f"{generation}:{expected} is missing"
    return ""


def wallet_digest(wallet: Wallet) -> str:
    """Return the digest of the last entry, as currently stored in the wallet's row."""
    return str(Wallet.objects.values_list("digest", flat=True).get(pk=wallet.pk))


def _journal(wallet: Wallet) -> Iterator[JournalEntry]:
    rows = JournalEntry.objects.filter(wallet=wallet).order_by("generation", "seq")
    return rows.iterator(chunk_size=2_000)


def _batches(wallet: Wallet) -> Iterator[Batch]:
    rows = Batch.objects.filter(wallet=wallet).order_by("generation", "batch_number")
    return rows.iterator(chunk_size=2_000)
