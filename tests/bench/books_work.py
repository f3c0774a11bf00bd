"""The steps of row 12, each run in its own process.

fill <n>                 n accounts with wallets, in SQL (COPY) and in Redis
dirty <round>            one message each: a hold, sent, and its report (two change entries)
persist <shard> <shards> one turn of the persistence, as the sweep runs it
scan                     one read of every wallet while nothing is dirty
copy                     COPY the rows of the last turn into the same tables. After the check of
foreign keys, as at a commit, it is rolled back.

The last line printed is a JSON object of figures.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import django

from tests.support.processes import cpu_seconds

AT_ONCE = 5_000
OPENING = 1_000_000
COLUMNS = {
    "billing_batch": (
        "wallet_id, generation, batch_number, first_seq, last_seq, amount, fence, written_at"
    ),
    "billing_journalentry": (
        "wallet_id, generation, seq, at_us, kind, operation_id, spendable, held, receivable,"
        " revenue, cash, state, mode, chatbot, digest"
    ),
    "billing_message": (
        "wallet_id, message_id, kind, body_hash, chatbot, tariff_id, prices, state, mode, quoted,"
        " charged, flag, held_at, sent_at, ended_at"
    ),
}


def _copy(table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
    from django.db import connection

    connection.ensure_connection()
    with (
        connection.connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)


def _parts(count: int) -> Iterator[range]:
    for start in range(0, count, AT_ONCE):
        yield range(start, min(start + AT_ONCE, count))


def fill(count: str) -> dict[str, Any]:
    """Create the accounts `b0`, `b1`, …; each can spend 100."""
    from django.db import connection

    from billing import wallet as commands
    from billing.models import Wallet
    from poolsite import hotpath
    from poolsite.access.models import Account

    now = datetime.now(UTC)
    for part in _parts(int(count)):
        accounts = Account.objects.bulk_create(
            [Account(slug=f"b{n}", name=f"account {n}") for n in part]
        )
        Wallet.objects.bulk_create(
            [
                Wallet(account=account, spendable=OPENING, opening=OPENING, opened_at=now)
                for account in accounts
            ]
        )
        hotpath.run_batch(
            [
                commands.create(account.slug, 1, commands.WalletSettings(), balance=OPENING)
                for account in accounts
            ]
        )
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return {"accounts": Wallet.objects.count()}


def dirty(turn: str) -> dict[str, Any]:
    """Give each account one more message: held, sent at once, delivered."""
    from billing import wallet as commands
    from billing.models import Wallet
    from poolsite import hotpath

    count = Wallet.objects.count()
    quote = commands.Quote({"native_text": 300, "video": 800}, 7, {"yuexin_resolved": 500})
    for part in _parts(count):
        hold = [
            commands.hold(f"b{n}", commands.HoldRequest(f"m{turn}", "hash", quote, sent=True))
            for n in part
        ]
        report = [
            commands.report(f"b{n}", commands.DeliveryReport(f"m{turn}", True, True, "native_text"))
            for n in part
        ]
        for to_run in (hold, report):
            for answer in hotpath.run_batch(to_run):
                assert not isinstance(answer, hotpath.HotPathError), answer
    return {"accounts": count}


def persist(shard: str, shards: str) -> dict[str, Any]:
    """Run one turn of one shard."""
    from billing.persistence.running import persist_shard

    begun, cpu = time.perf_counter(), time.process_time()
    turn = persist_shard(int(shard), int(shards))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    wrong = turn.failed + turn.faults + turn.refused + turn.left
    assert wrong == 0, turn.figures()
    return {"begun": time.time() - seconds, "seconds": seconds, "cpu": cpu, **turn.figures()}


def scan() -> dict[str, Any]:
    """Run a turn that finds nothing: the cost of the search for dirty accounts."""
    return persist("0", "1")


def copy() -> dict[str, Any]:
    """COPY the last turn's rows into the same tables, with one UPDATE of the wallets.

    Then check all foreign keys, as at a commit.
    """
    from django.db import connection, transaction

    rows: dict[str, list[Any]] = {}
    with connection.cursor() as cursor:
        for table, columns in COLUMNS.items():
            newest = {
                "billing_batch": "batch_number = (SELECT max(batch_number) FROM billing_batch)",
                "billing_journalentry": "operation_id = (SELECT max(message_id)"
                " FROM billing_message)",
                "billing_message": "message_id = (SELECT max(message_id) FROM billing_message)",
            }[table]
            cursor.execute(f"SELECT {columns} FROM {table} WHERE {newest}")
            rows[table] = cursor.fetchall()
        cursor.execute("SELECT id, spendable, digest FROM billing_wallet")
        wallets = cursor.fetchall()
    with transaction.atomic():
        with connection.cursor() as cursor:
            for table in COLUMNS:
                keys = f"SELECT id FROM {table} ORDER BY id DESC LIMIT {len(rows[table])}"
                cursor.execute(f"DELETE FROM {table} WHERE id IN ({keys})")
        begun, cpu = time.perf_counter(), _cpu_seconds()
        for table, columns in COLUMNS.items():
            _copy(table, columns, rows[table])
        with connection.cursor() as cursor:
            cursor.execute(
                "CREATE TEMP TABLE moved (id bigint, amount bigint, digest text) ON COMMIT DROP"
            )
            _copy("moved", "id, amount, digest", wallets)
            cursor.execute(
                "UPDATE billing_wallet w SET spendable = m.amount, seq = w.seq, digest = m.digest,"
                " batch_number = w.batch_number, fence = w.fence, persisted_at = now()"
                " FROM moved m WHERE m.id = w.id"
            )
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # what a commit would check
        seconds, cpu = time.perf_counter() - begun, _cpu_seconds() - cpu
        transaction.set_rollback(True)
    counts = {table: len(found) for table, found in rows.items()}
    return {"seconds": seconds, "cpu": cpu, "wallets": len(wallets), **counts}


def _cpu_seconds() -> float:
    """Return the CPU of this process and of the PostgreSQL process that serves it."""
    from django.db import connection

    return time.process_time() + cpu_seconds(connection.connection.info.backend_pid)


STEPS: dict[str, Callable[..., dict[str, Any]]] = {
    "fill": fill,
    "dirty": dirty,
    "persist": persist,
    "scan": scan,
    "copy": copy,
}

if __name__ == "__main__":
    django.setup()
    print(json.dumps(STEPS[sys.argv[1]](*sys.argv[2:])))
