"""What the wallets' hashes in Redis say: read for many at once, in few round trips.

Which accounts have change entries is found by asking each wallet of a shard for two counters, in
pipelines: exact, on a Cluster too, and the same look sees a wallet that Redis lost or that went
back in time (docs/decisions/0016 tells why there is no list of dirty accounts).
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
    """A wallet's figures in Redis, read at one moment; `generation` 0 = Redis has no such wallet.

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
    promotional: int = 0  # what is left of promotions; it is in bal

    @property
    def backlog(self) -> int:
        """Entries that SQL has not been seen to have."""
        return max(self.seq - self.drained, 0)


class Known(NamedTuple):
    """What SQL knows of a wallet, as far as the persistence asks."""

    wallet_id: int
    slug: str
    generation: int
    seq: int
    server: str
    recovering: bool
    opened: bool  # its data was made in Redis once

    @property
    def tag(self) -> str:
        return wallet.WalletKeys(self.slug).tag


_COLUMNS = ("pk", "account__slug", "generation", "seq", "redis", "is_recovering", "was_opened")


def known_of(rows: QuerySet[Wallet]) -> list[Known]:
    """Return what SQL knows of these wallets, in the query's order."""
    told = rows.annotate(is_recovering=_said("recovering_since"), was_opened=_said("opened_at"))
    return [Known(*columns) for columns in told.values_list(*_COLUMNS)]


def _said(name: str) -> Combinable:
    """Whether a moment is there: SQL says it, so that 5 000 are not made to be looked at."""
    return ExpressionWrapper(Q(**{f"{name}__isnull": False}), output_field=BooleanField())


LOST = ("emptied", "another life", "went back", "diverged")  # entries can be missing


def trouble(known: Known, live: Live) -> str:
    """Say why Redis' data is not the wallet that SQL knows; "" = it is."""
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
    """Yield (tag, generation, seq) of every wallet, as SQL has it."""
    rows = Wallet.objects.order_by("pk").values_list("account__slug", "generation", "seq")
    for slug, generation, seq in rows.iterator():
        yield wallet.WalletKeys(slug).tag, generation, seq


def lives(rows: Iterable[Wallet]) -> dict[int, Live]:
    """Return each wallet's figures by its id. Raises RedisError, OSError, UnknownServerError."""
    by_server: dict[str, list[Wallet]] = {}
    for row in rows:
        by_server.setdefault(row.redis, []).append(row)
    found: dict[int, Live] = {}
    for server, its in by_server.items():
        answers = lives_on(server, [row.tag for row in its])
        found.update(zip([row.pk for row in its], answers, strict=True))
    return found


def lives_on(server: str, tags: Sequence[str]) -> list[Live]:
    """Do the same for the wallets of one server, by their tags."""
    return [_live(values) for values in hotpath.read_fields(servers.named(server), tags, FIELDS)]


def looks_on(server: str, tags: Sequence[str]) -> list[Live]:
    """The same without the figures: what the look for entries needs of every wallet there is."""
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
    """Return the entries (after, until] that stand in Redis; None when not all of them do."""
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
    """Group wallets by the server they live on."""
    found: dict[str, list[Known]] = {}
    for known in rows:
        found.setdefault(known.server, []).append(known)
    return found
