"""Reads the wallets' hashes in Redis: many at once, with few round trips.

To find the accounts with change entries, it reads two counters of each wallet of a shard, in
pipelines. That is exact, also on a Cluster, and the same read detects a wallet that Redis lost or
that went back in time (docs/decisions/0016 explains why there is no list of changed accounts).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.db.models.expressions import Combinable

from billing import servers, wallet
from billing.models import Wallet
from billing.wallet import WalletChange
from poolsite import hotpath

FIELDS = (
    *("generation", "seq", "drained", "bal", "pend", "held", "receivable", "conf", "log_limit"),
    *("credit", "grants"),
)
LOOK_FIELDS = ("generation", "seq", "drained", "conf", "log_limit")
ENTRIES_AT_ONCE = 5_000
MOST_PENDING = 200_000


class Live(NamedTuple):
    """A wallet's figures in Redis at one moment. `generation` is 0 if Redis has no such wallet.

    `status` is the first letter of `conf`: o open, f frozen, c closed, r recovering.
    """

    generation: int = 0
    seq: int = 0
    drained: int = 0
    bal: int = 0
    pend: int = 0
    held: int = 0
    receivable: int = 0
    status: str = ""
    log_limit: int = 0
    credit: int = 0
    promotional: int = 0  # the rest of the promotions, included in bal

    @property
    def backlog(self) -> int:
        """The number of entries that are not trimmed yet, because SQL may lack them."""
        return max(self.seq - self.drained, 0)


class Known(NamedTuple):
    """The data of a wallet in SQL that the persistence needs."""

    wallet_id: int
    slug: str
    generation: int
    seq: int
    server: str
    recovering: bool
    opened: bool  # its data was created in Redis at some time

    @property
    def tag(self) -> str:
        return wallet.WalletKeys(self.slug).tag


_COLUMNS = ("pk", "account__slug", "generation", "seq", "redis", "is_recovering", "was_opened")


def known_of(rows: QuerySet[Wallet]) -> list[Known]:
    """Return the SQL data of these wallets, in the query's order."""
    told = rows.annotate(is_recovering=_said("recovering_since"), was_opened=_said("opened_at"))
    return [Known(*columns) for columns in told.values_list(*_COLUMNS)]


def _said(name: str) -> Combinable:
    """Return a test for a value in SQL, which is cheaper than 5 000 datetimes in Python."""
    return ExpressionWrapper(Q(**{f"{name}__isnull": False}), output_field=BooleanField())


LOST = ("emptied", "another life", "went back", "diverged")  # entries may be missing


def trouble(known: Known, live: Live) -> str:
    """Return why Redis' data is not the wallet that SQL has, or "" if it is."""
    if not live.generation:
        return "emptied" if known.opened or known.seq else ""
    if live.generation != known.generation:
        return "another life"
    if live.seq < known.seq:
        return "went back"
    if live.status == "r":
        return "recovering" if known.recovering else "promoted"
    return ""


def positions() -> Iterator[tuple[str, int, int]]:
    """Yield (tag, generation, seq) of every wallet, as stored in SQL."""
    rows = Wallet.objects.order_by("pk").values_list("account__slug", "generation", "seq")
    for slug, generation, seq in rows.iterator():
        yield wallet.WalletKeys(slug).tag, generation, seq


def lives(rows: Iterable[Wallet]) -> dict[int, Live]:
    """Return each wallet's figures by ID. Raise RedisError, OSError or UnknownServerError."""
    by_server: dict[str, list[Wallet]] = {}
    for row in rows:
        by_server.setdefault(row.redis, []).append(row)
    found: dict[int, Live] = {}
    for server, its in by_server.items():
        answers = lives_on(server, [row.tag for row in its])
        found.update(zip([row.pk for row in its], answers, strict=True))
    return found


def lives_on(server: str, tags: Sequence[str]) -> list[Live]:
    """Return the figures of a server's wallets, in the order of their tags."""
    return [_live(values) for values in hotpath.read_fields(servers.named(server), tags, FIELDS)]


def looks_on(server: str, tags: Sequence[str]) -> list[Live]:
    """Like `lives_on`, without amounts: only what the search for entries needs of each wallet."""
    found = []
    rows = hotpath.read_fields(servers.named(server), tags, LOOK_FIELDS)
    for generation, seq, drained, conf, log_limit in rows:
        if not generation:
            found.append(Live())
            continue
        found.append(
            Live(
                *(int(generation), int(seq or 0), int(drained or 0)),
                status=(conf or "")[:1],
                log_limit=int(log_limit or 0),
            )
        )
    return found


def _live(values: Sequence[str | None]) -> Live:
    if not values[0]:
        return Live()
    generation, seq, drained, bal, pend, held, receivable = (int(v or 0) for v in values[:7])
    status, log_limit, credit = (values[7] or "")[:1], int(values[8] or 0), int(values[9] or 0)
    promotional = sum([each.left for each in wallet.read_grants(values[10] or "")])
    return Live(
        *(generation, seq, drained, bal, pend, held, receivable, status, log_limit, credit),
        promotional=promotional,
    )


def pending_of(row: Wallet, after: int, until: int) -> list[WalletChange] | None:
    """Return Redis' entries (after, until], or None if some are missing or there are too many."""
    found: list[WalletChange] = []
    path = servers.path(row)
    while after < until:
        page = path.run(wallet.entries(row.slug, after, min(ENTRIES_AT_ONCE, until - after)))
        if page is None or not page.changes or page.changes[0].seq != after + 1:
            return None
        found += page.changes
        after = page.changes[-1].seq
        if len(found) > MOST_PENDING:
            return None
    return found


def by_server(rows: Iterable[Known]) -> Mapping[str, list[Known]]:
    """Group wallets by their server."""
    found: dict[str, list[Known]] = {}
    for known in rows:
        found.setdefault(known.server, []).append(known)
    return found
