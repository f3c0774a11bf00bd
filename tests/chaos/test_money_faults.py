"""The small form of the faults of money: against one real web server and one real PostgreSQL."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.chaos import money_faults, money_load, money_sockets
from tests.chaos.catalogue import FAULTS
from tests.chaos.redis_node import SmallDisk
from tests.chaos.stack import Stack
from tests.chaos.stack_view import DATABASE
from tests.live.servers import Site, WebServer
from tests.support.postgres import PostgresServer

pytestmark = pytest.mark.processes

ACCOUNTS = """
import django; django.setup()
from tests.billing.api.shop import make_shop
print(*(make_shop(slug, money=10**12).token for slug in ("hot", "cold")))
"""


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A web server with two accounts, with the attributes of a stack."""
    folder = tmp_path_factory.mktemp("money")
    redis = RedisServer(folder=folder / "redis", append_only=False).start()
    site = Site(folder / "site", redis.url)
    site.folder.mkdir()
    site.migrate()
    tokens = site.run("-c", ACCOUNTS).split()
    server = WebServer(site, "uvicorn", "poolsite.asgi:application").start()
    chatbots = [
        {"account": account, "token": token}
        for account, token in zip(("hot", "cold"), tokens, strict=True)
    ]
    try:
        yield SimpleNamespace(
            web_ports=[server.port, server.port], simulation={"chatbots": chatbots}
        )
    finally:
        server.stop()
        redis.stop()


def test_a_hot_account_takes_most_and_the_cold_one_is_served_beside_it(stack: Any) -> None:
    hot_one, cold_one = stack.simulation["chatbots"]
    with money_load.Cold(stack, [cold_one]) as cold, money_load.Hot(stack, hot_one) as hot:
        cold.serve(2.0)
        assert cold.p99_seconds() > 0
    assert cold.failed == []
    assert hot.served > cold.served > 0


def test_a_server_that_is_not_there_is_told_by_the_cold_account() -> None:
    nobody: Any = SimpleNamespace(web_ports=[9, 9])
    with money_load.Cold(nobody, [{"account": "cold", "token": "t"}]) as cold:
        cold.serve(0.2)
    assert cold.failed


def test_readers_of_a_storm_show_what_is_stored(stack: Any) -> None:
    chatbot = stack.simulation["chatbots"][0]
    with money_load.Hot(stack, chatbot, pause_seconds=0.3):
        storm = money_sockets.storm(stack, chatbot, 50)
    assert storm.reconnects >= 50
    assert storm.frames >= money_sockets.READERS
    assert storm.wrong == []
    assert money_sockets.shown_is_stored(storm) == []


# -- SQL -------------------------------------------------------------------------------------------


@pytest.fixture
def books() -> Iterator[Any]:
    """A PostgreSQL with a plain and a partitioned table, with the attributes of a stack."""
    server = PostgresServer()
    server.start()
    server.create_database(DATABASE)
    disk = SmallDisk(server.folder / "books")
    disk.mount()

    def sql(query: str, *values: object) -> list[tuple[Any, ...]]:
        with psycopg.connect(server.url(DATABASE), autocommit=True) as connection:
            found = connection.execute(query.encode(), values or None)
            return found.fetchall() if found.description else []

    sql("CREATE TABLE entries (text text)")
    sql("CREATE TABLE events (text text) PARTITION BY HASH (text)")
    sql("CREATE TABLE events_all PARTITION OF events FOR VALUES WITH (MODULUS 1, REMAINDER 0)")
    try:
        yield SimpleNamespace(postgres=server, sql_disk=disk, sql=sql)
    finally:
        server.stop()
        disk.unmount()
        server.remove()


@pytest.mark.needs("postgres")
def test_a_read_only_sql_answers_and_takes_nothing_until_it_is_right_again(books: Any) -> None:
    money_faults.set_read_only(books, on=True)
    assert books.sql("SELECT count(*) FROM entries") == [(0,)]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        books.sql("INSERT INTO entries VALUES ('x')")
    money_faults.set_read_only(books, on=False)
    books.sql("INSERT INTO entries VALUES ('x')")


@pytest.mark.needs("postgres")
@pytest.mark.parametrize("table", ["entries", "events"])
def test_a_full_disk_of_sql_refuses_rows_until_there_is_room(books: Any, table: str) -> None:
    if not books.sql_disk.mounted:
        assert "root" in FAULTS["fill_sql_disk"].not_run(books)
        return
    rows = f"INSERT INTO {table} SELECT repeat('x', 1000) FROM generate_series(1, 5000)"
    Stack.move_to_small_disk(books, table)
    Stack.move_to_small_disk(books, table)  # again: no change
    books.sql_disk.fill()
    with pytest.raises(psycopg.errors.DiskFull):
        books.sql(rows)
    assert Stack.sql_refusals(books) > 0
    books.sql_disk.free()
    books.sql(rows)
