"""Sum up the journal by the hour: each entry once, wherever a worker dies."""

from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F, Q, QuerySet

from billing.models import JournalEntry, UsageCursor, UsageHour, Wallet

ENTRIES_PER_STEP = 5_000
STEPS_PER_RUN = 40
HOUR_US = 3_600_000_000
Key = tuple[int, str, str, str]  # hour number, kind, mode, chatbot


def unsummed(wallet: Wallet) -> QuerySet[JournalEntry]:
    """Return the journal entries that no usage row includes yet, oldest first."""
    cursor = UsageCursor.objects.filter(wallet=wallet).first()
    rows = JournalEntry.objects.filter(wallet=wallet).order_by("generation", "seq")
    return rows if cursor is None else rows.filter(_after(cursor))


def sum_up(wallet: Wallet, limit: int = ENTRIES_PER_STEP) -> int:
    """Add at most `limit` more entries to the usage rows; return how many were added.

    It is one transaction with the cursor locked: a second worker waits and continues after the
    first.
    """
    with transaction.atomic():
        UsageCursor.objects.get_or_create(wallet=wallet)
        cursor = UsageCursor.objects.select_for_update().get(wallet=wallet)
        rows = JournalEntry.objects.filter(wallet=wallet).filter(_after(cursor))
        entries = list(rows.order_by("generation", "seq")[:limit])
        if not entries:
            return 0
        for key, sums in _sums(entries).items():
            _add(wallet, key, sums)
        cursor.generation, cursor.seq = entries[-1].generation, entries[-1].seq
        cursor.save(update_fields=["generation", "seq"])
    return len(entries)


def sum_all(shard: int, shards: int) -> dict[str, int]:
    """Sum up the new journal entries of a shard's wallets, one round."""
    done = 0
    wallets = Wallet.objects.filter(
        Q(usage_cursor=None)
        | Q(generation__gt=F("usage_cursor__generation"))
        | Q(seq__gt=F("usage_cursor__seq"))
    )
    for wallet in wallets.iterator(chunk_size=500):
        if wallet.pk % shards != shard:
            continue
        for _step in range(STEPS_PER_RUN):
            added = sum_up(wallet)
            done += added
            if added < ENTRIES_PER_STEP:
                break
    return {"entries": done}


def _after(cursor: UsageCursor) -> Q:
    return Q(generation__gt=cursor.generation) | Q(generation=cursor.generation, seq__gt=cursor.seq)


def _sums(entries: list[JournalEntry]) -> dict[Key, list[int]]:
    sums: dict[Key, list[int]] = {}
    for entry in entries:
        key = (entry.at_us // HOUR_US, entry.kind, entry.mode, entry.chatbot)
        row = sums.setdefault(key, [0, 0, 0])
        row[0] += 1
        row[1] += entry.spendable
        row[2] += entry.revenue
    return sums


def _add(wallet: Wallet, key: Key, sums: list[int]) -> None:
    hour, kind, mode, chatbot = key
    row, _made = UsageHour.objects.get_or_create(
        wallet=wallet,
        hour=datetime.fromtimestamp(hour * 3_600, UTC),
        kind=kind,
        mode=mode,
        chatbot=chatbot,
    )
    UsageHour.objects.filter(pk=row.pk).update(
        entries=F("entries") + sums[0],
        spendable=F("spendable") + sums[1],
        revenue=F("revenue") + sums[2],
    )
