"""A small app to test the drain with: one table, one source, and a script that appends."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from django.db import connection, models

from poolsite import history, hotpath
from poolsite.access.models import Account
from poolsite.history.models import HistoryEntry
from poolsite.history.services import insert_rows

KIND = "test.ledger"
APPEND = hotpath.load_folder("historytest", Path(__file__).parent / "lua")["append"]


class LedgerRow(HistoryEntry):
    """What the test source stores of an entry."""

    aggregate = models.ForeignKey(Account, models.CASCADE, db_constraint=False, related_name="+")
    word = models.CharField(max_length=40)

    class Meta(HistoryEntry.Meta):
        app_label = "historytest"


class LedgerSource(history.Source):
    """Writes entries to LedgerRow, and records each report that Redis is behind."""

    kind = KIND

    def __init__(self, aggregates: Iterable[history.Aggregate] = ()) -> None:
        self.known = list(aggregates)
        self.told_behind: list[str] = []

    def aggregates(self, shard: int = 0, shards: int = 1) -> list[history.Aggregate]:
        return [one for one in self.known if one.object_id % shards == shard]

    def write(
        self, aggregate: history.Aggregate, generation: int, entries: Sequence[history.StreamEntry]
    ) -> None:
        rows = [(entry, {"word": entry.fields["word"]}) for entry in entries]
        insert_rows(LedgerRow, aggregate.object_id, generation, rows)

    def behind(self, aggregate: history.Aggregate, reason: str) -> None:
        self.told_behind.append(reason)

    def retained(self) -> Sequence[history.Retained]:
        return (history.Retained(LedgerRow),)


@contextmanager
def registered(source: LedgerSource) -> Iterator[LedgerSource]:
    """Register the source, as the only one, during the block."""
    from poolsite.history import registry

    before = dict(registry._REGISTRY.sources)
    registry._REGISTRY.sources.clear()
    history.register(source)
    try:
        yield source
    finally:
        registry._REGISTRY.sources.clear()
        registry._REGISTRY.sources.update(before)


def create_table() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(LedgerRow)


def begin(tag: str, *, generation: int = 1, log_limit: int = 1_000_000, seq: int = 0) -> None:
    """Create the aggregate's hash, as an app's own `create` or `rebuild` script does."""
    fields = {"generation": generation, "seq": seq, "drained": seq, "log_limit": log_limit}
    hotpath.client().hset(tag, mapping=fields)


def append(tag: str, count: int, word: str = "hello") -> int:
    """Append entries through the prelude. Return the last sequence number."""
    keys = APPEND.keys_of(tag)
    return hotpath.run(hotpath.Command(APPEND, keys, (count, word), lambda reply: int(reply[0])))


def rows(aggregate: history.Aggregate) -> list[tuple[int, int, str]]:
    """Return the rows in SQL: (generation, seq, word), in order."""
    found = LedgerRow.objects.filter(aggregate_id=aggregate.object_id)
    return list(found.order_by("generation", "seq").values_list("generation", "seq", "word"))
