"""Row 5: holds per second on one account, Redis with AOF everysec.

Load: redis-benchmark, 8 clients; every hold is a new message with every field that a campaign's
message has (as in row 4, by FCALL), unpipelined, then in batches of 100: four list commands of 25
holds in one write.
Reference: pgbench, 8 clients, prepared, on one row of a PostgreSQL with fsync on:
`UPDATE … SET bal = bal - 900 WHERE id = 1 AND bal >= 900`, with synchronous_commit off and on; then
100 of these in one transaction, in one pipeline. It writes no message, no entry, no deadline. Both
are C programs on this machine. All six take turns for three rounds, and the medians count. At the
end of each turn every new message is held once and the balance is right. Left out: HTTP, quoting,
persistence.
"""

import csv
import re
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import redis

from billing import wallet
from poolsite.hotpath.library import library_of
from poolsite.runtime.redis_server import RedisServer
from tests.bench.result import Row, at_least
from tests.bench.wallets import MONEY, QUOTE, SLUG, figures, hold_request, open_wallet
from tests.support.postgres import PostgresServer
from tests.support.programs import postgres_folder

CLIENTS = 8
HOLDS = 100_000
IN_ONE_SCRIPT, SCRIPTS_IN_ONE_WRITE = 25, 4
SECONDS, ROUNDS = 4, 3
UPDATE = "UPDATE one SET bal = bal - 900 WHERE id = 1 AND bal >= 900;"
NEW_ID = "m__rand_int__"  # redis-benchmark puts twelve digits there


def run() -> list[Row]:
    """Let Redis and PostgreSQL, commit off and on, single and in hundreds, take turns."""
    program = shutil.which("redis-benchmark") or shutil.which("valkey-benchmark")
    assert program, "redis-benchmark is needed"
    ours: dict[int, list[tuple[float, float]]] = {1: [], 100: []}
    theirs: dict[tuple[str, int], list[float]] = {}
    with _postgres() as server:
        for _ in range(ROUNDS):
            ours[1].append(_redis(program, 1, 1))
            for size in (1, 100):
                for commit in ("off", "on"):
                    theirs.setdefault((commit, size), []).append(_pgbench(server, commit, size))
            ours[100].append(_redis(program, IN_ONE_SCRIPT, SCRIPTS_IN_ONE_WRITE))
    postgres = {what: statistics.median(rates) for what, rates in theirs.items()}
    (single, single_p99), (batch, batch_p99) = (
        (
            statistics.median(rate for rate, _ in ours[size]),
            statistics.median(p for _, p in ours[size]),
        )
        for size in (1, 100)
    )
    return [
        *_rows("unpipelined", single, f"p99 {single_p99:.2f} ms", postgres, 1, (0.5, 5)),
        *_rows(
            "batches of 100", batch, f"p99 of a batch {batch_p99:.2f} ms", postgres, 100, (2, 4)
        ),
    ]


def _rows(
    how: str,
    ours: float,
    note: str,
    postgres: dict[tuple[str, int], float],
    size: int,
    marks: tuple[float, float],
) -> list[Row]:
    rows = []
    for commit, mark in zip(("off", "on"), marks, strict=True):
        reference = postgres[commit, size]
        rows.append(
            Row(
                row="5",
                name=f"holds on one account, {CLIENTS} clients, {how}",
                ours=f"{ours:,.0f}/s",
                reference=f"UPDATE, commit {commit}, {reference:,.0f}/s",
                ratio=ours / reference,
                mark=f"≥ {mark:g}×",
                verdict=at_least(mark, ours / reference),
                notes=note,
            )
        )
    return rows


# -- ours ----------------------------------------------------------------------------------------


def _redis(program: str, in_one_script: int, in_one_write: int) -> tuple[float, float]:
    """Return holds per second, and the p99 in ms of one write."""
    with tempfile.TemporaryDirectory(prefix="poolsite-bench-", dir="/tmp") as folder:
        server = RedisServer(folder=Path(folder), append_only=True).start()
        try:
            with server.client() as client:
                assert client.config_get("appendfsync")["appendfsync"] == "everysec"
                open_wallet(client)
                library = library_of(wallet.SCRIPTS["hold"])
                assert library is not None
                client.function_load(library.text)
                template = [_words(place) for place in range(in_one_script)]
                calls = HOLDS // in_one_script
                options = ["-c", str(CLIENTS), "-n", str(calls), "-P", str(in_one_write)]
                command = wallet.hold(SLUG, hold_request(0))
                function = library.function(command.script)
                held = [word for words in template for word in words]
                figures_of = _benchmark(
                    [program, "-s", client.connection_pool.connection_kwargs["path"], *options,
                     "-r", str(2 * 10**9), "--csv", "FCALL", function, "1", command.keys[0], *held]
                )  # fmt: skip
                _check_final_state(client)
        finally:
            server.stop()
    return figures_of["rps"] * in_one_script, figures_of["p99_latency_ms"]


def _words(place: int) -> list[str]:
    request = hold_request(place)
    command = wallet.hold(SLUG, request)
    return [NEW_ID, *map(str, command.args[1:])]


def _benchmark(arguments: Sequence[str]) -> dict[str, float]:
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    head, line = list(csv.reader(done.stdout.splitlines()))[-2:]
    return {name: float(value) for name, value in zip(head[1:], line[1:], strict=True)}


def _check_final_state(client: redis.Redis) -> None:
    """Check the wallet. Random IDs may collide now and then: such a message has a single hold."""
    count = client.zcard("{acct." + SLUG + "}:deadlines")
    assert HOLDS * 0.999 <= count <= HOLDS
    now = figures(client)
    assert now["held"] == count * QUOTE.quoted
    assert now["bal"] == MONEY - now["held"]
    assert now["seq"] == count


# -- the reference -------------------------------------------------------------------------------


@contextmanager
def _postgres() -> Iterator[PostgresServer]:
    """Start a server that syncs, with one row. At the end some of the row's money must be spent."""
    server = PostgresServer(fsync=True).start()
    try:
        with server.connect() as connection:
            connection.execute("CREATE TABLE one (id int PRIMARY KEY, bal bigint NOT NULL)")
            connection.execute("INSERT INTO one VALUES (1, %s)", (MONEY,))
        yield server
        with server.connect() as connection:
            (left,) = connection.execute("SELECT bal FROM one").fetchone() or (0,)
            assert 0 < int(str(left)) < MONEY
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


def _pgbench(server: PostgresServer, commit: str, size: int) -> float:
    """Return updates per second. The table is created again first, so that no dead rows slow it."""
    with server.connect() as connection:
        connection.execute("VACUUM FULL one")
    script = server.folder / f"updates-{size}.sql"
    if size == 1:
        script.write_text(UPDATE + "\n")
    else:
        many = "\n".join([UPDATE] * size)
        script.write_text(f"\\startpipeline\nBEGIN;\n{many}\nCOMMIT;\n\\endpipeline\n")
    done = subprocess.run(
        [f"{postgres_folder()}/pgbench", "-h", "127.0.0.1", "-p", str(server.port),
         "-U", "poolsite", "-n", "-M", "prepared", "-c", str(CLIENTS), "-j", "2",
         "-T", str(SECONDS), "-f", str(script), "postgres"],
        capture_output=True,
        text=True,
        check=True,
        env={"PGPASSWORD": server.password, "PGOPTIONS": f"-c synchronous_commit={commit}"},
    )  # fmt: skip
    rates = re.findall(r"tps = ([\d.]+)", done.stdout)
    return float(rates[-1]) * size
