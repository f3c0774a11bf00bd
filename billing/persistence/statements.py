"""The bulk statements of the books, for PostgreSQL (unnest) and for SQLite; see poolsite.sql_bulk.

Each runs in the caller's transaction. Tables and columns are constants of this module, never
callers' data. Values are passed as parameters.
"""

# ruff: noqa: S608  every statement is built from this module's own constants

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db import connection

from poolsite.moments import moment_of
from poolsite.sql_bulk import Table, adapted, on_postgres
from poolsite.sql_texts import Row, array_text

BATCHES: Final = Table(
    "billing_batch",
    (
        *("wallet_id", "generation", "batch_number", "first_seq", "last_seq"),
        *("amount", "fence", "written_at"),
    ),
)
JOURNAL: Final = Table(
    "billing_journalentry",
    (
        *("wallet_id", "generation", "seq", "at_us", "kind", "operation_id"),
        *("spendable", "held", "receivable", "revenue", "cash"),
        *("state", "mode", "chatbot", "digest"),
    ),
)
# With every leg. COPY's lines leave the promotional leg, which few entries have, to its default.
JOURNAL_WHOLE: Final = Table(
    "billing_journalentry",
    (
        *("wallet_id", "generation", "seq", "at_us", "kind", "operation_id"),
        *("spendable", "held", "receivable", "revenue", "cash", "promotion"),
        *("state", "mode", "chatbot", "digest"),
    ),
)
FLAGGED: Final = Table(
    "billing_flaggedreport",
    (
        *("wallet_id", "generation", "seq", "message_id", "flag", "reported_mode", "state"),
        *("difference", "at", "closing", "closed_by", "closing_reason"),
    ),
)
RECEIVABLES: Final = Table(
    "billing_receivable", ("wallet_id", "generation", "seq", "operation_id", "amount", "at")
)

PROMOTION_MOVES: Final = Table(
    "billing_promotionmove",
    (
        *("wallet_id", "promotion_id", "generation", "seq", "kind", "operation_id"),
        *("amount", "at"),
    ),
)

MESSAGE_COLUMNS: Final = (
    ("wallet_id", "bigint"),
    ("message_id", "text"),
    ("kind", "text"),
    ("body_hash", "text"),
    ("chatbot", "text"),
    ("tariff_id", "bigint"),
    ("prices", "text"),
    ("state", "text"),
    ("mode", "text"),
    ("quoted", "bigint"),
    ("charged", "bigint"),
    ("charged_seconds", "integer"),
    ("flag", "text"),
    ("held_at", "bigint"),  # µs since 1970, like the next two; SQL converts them to timestamps
    ("sent_at", "bigint"),
    ("ended_at", "bigint"),
)
_MOMENTS: Final = ("held_at", "sent_at", "ended_at")
_KEPT_IF_SAID = ("body_hash", "chatbot", "prices", "state", "mode", "flag")
_MESSAGE_UPDATES: Final = ", ".join(
    [
        "kind = CASE WHEN excluded.held_at IS NULL THEN billing_message.kind"
        " ELSE excluded.kind END",
        *(
            f"{name} = CASE WHEN excluded.{name} = '' THEN billing_message.{name}"
            f" ELSE excluded.{name} END"
            for name in _KEPT_IF_SAID
        ),
        "quoted = CASE WHEN excluded.quoted = 0 THEN billing_message.quoted"
        " ELSE excluded.quoted END",
        "charged = billing_message.charged + excluded.charged",
        "charged_seconds = CASE WHEN excluded.charged_seconds = 0"
        " THEN billing_message.charged_seconds ELSE excluded.charged_seconds END",
        *(
            f"{name} = COALESCE(billing_message.{name}, excluded.{name})"
            for name in ("tariff_id", *_MOMENTS)
        ),
    ]
)
_MESSAGES_INTO = f"INSERT INTO billing_message ({', '.join(name for name, _ in MESSAGE_COLUMNS)})"
_MESSAGES_CONFLICT = f" ON CONFLICT (wallet_id, message_id) DO UPDATE SET {_MESSAGE_UPDATES}"
_MESSAGE_VALUES = ", ".join(
    f"timestamptz 'epoch' + g.{name} * interval '1 microsecond'"
    if name in _MOMENTS
    else f"g.{name}"
    for name, _ in MESSAGE_COLUMNS
)
MESSAGES_ON_POSTGRES: Final = (
    f"{_MESSAGES_INTO} SELECT {_MESSAGE_VALUES}"
    f" FROM unnest({', '.join(f'%s::{kind}[]' for _, kind in MESSAGE_COLUMNS)})"
    f" AS g({', '.join(name for name, _ in MESSAGE_COLUMNS)}){_MESSAGES_CONFLICT}"
)
MESSAGES_ON_SQLITE: Final = (
    f"{_MESSAGES_INTO} VALUES ({', '.join(['%s'] * len(MESSAGE_COLUMNS))}){_MESSAGES_CONFLICT}"
)

# The row itself compares the writer's fence: a worker that was paused beyond its lease is refused
# by every row that a later worker has written.
WALLETS_ON_SQLITE: Final = (
    "UPDATE billing_wallet SET spendable = spendable + %(spendable)s, held = held + %(held)s,"
    " receivable = receivable + %(receivable)s, seq = %(last)s, batch_number = %(number)s,"
    " digest = %(digest)s, fence = %(fence)s, persisted_at = %(now)s"
    " WHERE id = %(id)s AND generation = %(generation)s AND seq = %(before)s"
    " AND fence <= %(fence)s"
)
_GIVEN = (
    *(("id", "bigint"), ("generation", "bigint"), ("before", "bigint"), ("last", "bigint")),
    *(("number", "bigint"), ("spendable", "bigint"), ("held", "bigint")),
    *(("receivable", "bigint"), ("digest", "text")),
)
WALLETS_ON_POSTGRES: Final = (
    "UPDATE billing_wallet AS w SET spendable = w.spendable + g.spendable, held = w.held + g.held,"
    " receivable = w.receivable + g.receivable, seq = g.last, batch_number = g.number,"
    " digest = g.digest, fence = %(fence)s, persisted_at = %(now)s"
    f" FROM unnest({', '.join(f'%({name})s::{kind}[]' for name, kind in _GIVEN)})"
    f" AS g({', '.join(name for name, _ in _GIVEN)})"
    " WHERE w.id = g.id AND w.generation = g.generation AND w.seq = g.before"
    " AND w.fence <= %(fence)s RETURNING w.id"
)


class Move(NamedTuple):
    """The change of a wallet's figures by the entries from `before` to `last`."""

    id: int
    generation: int
    before: int
    last: int
    number: int
    spendable: int
    held: int
    receivable: int
    digest: str


_LOCK_COLUMNS = "id, generation, seq, batch_number, digest, spendable, highest_credit_limit"
LOCK_ON_POSTGRES: Final = (
    f"SELECT {_LOCK_COLUMNS} FROM billing_wallet WHERE id = ANY(%s::bigint[]) ORDER BY id"
    " FOR UPDATE"
)


def lock_wallets(wallet_ids: Sequence[int]) -> list[Row]:
    """Lock the rows in the same order for every worker. Return the columns of _LOCK_COLUMNS."""
    with connection.cursor() as cursor:
        if on_postgres():
            cursor.execute(LOCK_ON_POSTGRES, [array_text(wallet_ids)])
        else:  # its transactions are exclusive from the start
            places = ", ".join(["%s"] * len(wallet_ids))
            cursor.execute(
                f"SELECT {_LOCK_COLUMNS} FROM billing_wallet WHERE id IN ({places})",
                list(wallet_ids),
            )
        return list(cursor.fetchall())


def limit_waiting() -> None:
    """Limit how long the transaction waits for locks, and how long it may hold rows while idle."""
    if on_postgres():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '5s'")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = '30s'")


def move_wallets(moves: Sequence[Move], fence: int, now: datetime) -> set[int]:
    """Add the deltas. Return the wallets that accepted them; the other rows refused the writer."""
    if not moves:
        return set()
    with connection.cursor() as cursor:
        if on_postgres():
            arrays = map(array_text, zip(*moves, strict=True))
            values: dict[str, Any] = dict(zip(Move._fields, arrays, strict=True))
            cursor.execute(WALLETS_ON_POSTGRES, values | {"fence": fence, "now": now})
            return {row[0] for row in cursor.fetchall()}
        taken = set()
        common = {"fence": fence, "now": adapted(now)}
        for move in moves:
            cursor.execute(WALLETS_ON_SQLITE, move._asdict() | common)
            if cursor.rowcount == 1:
                taken.add(move.id)
        return taken


PROMOTIONS_ON_SQLITE: Final = (
    "UPDATE billing_promotion SET remaining = remaining + %s WHERE id = %s AND wallet_id = %s"
)
PROMOTIONS_ON_POSTGRES: Final = (
    "UPDATE billing_promotion AS p SET remaining = p.remaining + g.amount"
    " FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS g(amount, id, wallet_id)"
    " WHERE p.id = g.id AND p.wallet_id = g.wallet_id"
)


def move_promotions(rows: Sequence[Row]) -> None:
    """Add to the remaining credit of promotions. `rows` have the columns of PROMOTION_MOVES."""
    sums: dict[tuple[int, int], int] = {}
    for wallet_id, promotion_id, *_, amount, _at in rows:
        sums[promotion_id, wallet_id] = sums.get((promotion_id, wallet_id), 0) + amount
    deltas = [(amount, *key) for key, amount in sorted(sums.items()) if amount]
    if not deltas:
        return
    with connection.cursor() as cursor:
        if on_postgres():
            columns = zip(*deltas, strict=True)
            cursor.execute(PROMOTIONS_ON_POSTGRES, [array_text(column) for column in columns])
        else:
            cursor.executemany(PROMOTIONS_ON_SQLITE, deltas)


def upsert_messages(rows: Sequence[Row]) -> None:
    """Insert or update messages, one row per message, with the columns of MESSAGE_COLUMNS."""
    if not rows:
        return
    with connection.cursor() as cursor:
        if on_postgres():
            columns = zip(*rows, strict=True)
            cursor.execute(MESSAGES_ON_POSTGRES, [array_text(column) for column in columns])
        else:
            cursor.executemany(MESSAGES_ON_SQLITE, [_message_on_sqlite(row) for row in rows])


def _message_on_sqlite(row: Row) -> list[Any]:
    moments = [None if us is None else adapted(moment_of(us)) for us in row[-len(_MOMENTS) :]]
    return [*row[: -len(_MOMENTS)], *moments]
