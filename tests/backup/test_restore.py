"""Restore to a Cluster and SQLite: what is restored, and what is refused without any change."""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from poolsite.runtime.redis_server import RedisServer
from tests.backup.rewriting import rewrite
from tests.live.servers import Site
from tests.support.cluster import RedisCluster

pytestmark = [pytest.mark.prove, pytest.mark.needs("redis-7")]
PROGRAM = "tests/backup/world.py"
REFUSING = (
    "CREATE TRIGGER refusing BEFORE INSERT ON billing_batch BEGIN SELECT RAISE(ABORT, 'full'); END"
)


@dataclass
class ClusterSite(Site):
    """A site with SQLite, its aggregates on a Cluster, and the rest of Redis on one server."""

    other_url: str = ""

    @property
    def environment(self) -> dict[str, str]:
        others = dict.fromkeys(("CACHE_URL", "CELERY_BROKER_URL"), self.other_url)
        return super().environment | others

    @property
    def sqlite(self) -> Path:
        return self.folder / "poolsite.sqlite3"

    def manage(self, *words: str) -> str:
        """Run a command that must succeed. Return what it printed."""
        done = self.forked("manage.py", *words)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *words: str) -> str:
        """Run a command that must fail. Return its error output."""
        done = self.forked("manage.py", *words)
        assert done.returncode == 1, done.stdout
        return done.stderr

    def figures(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run(PROGRAM, "figures"))
        return found


@pytest.fixture
def site(tmp_path: Path, redis_cluster: RedisCluster, clean_redis: RedisServer) -> ClusterSite:
    its = ClusterSite(tmp_path / "site", redis_cluster.url, other_url=clean_redis.url)
    its.migrate()
    its.run(PROGRAM, "make")
    return its


def _lose(site: ClusterSite, cluster: RedisCluster) -> None:
    """Empty both stores, as on a new machine."""
    for node in cluster.nodes:
        with node.client() as client:
            client.flushall()
    site.sqlite.unlink()
    for path in site.folder.glob("poolsite.sqlite3-*"):
        path.unlink()


def _backup(site: ClusterSite, *words: str) -> Path:
    site.manage("backup", str(site.folder / "backups"), *words)
    return max((site.folder / "backups").glob("*Z"))


def _keys(cluster: RedisCluster) -> list[int]:
    counts = []
    for node in cluster.nodes:
        with node.client() as client:
            counts.append(int(client.dbsize()))
    return counts


def test_a_cluster_comes_back_with_what_sql_had_refused(site, redis_cluster):
    with closing(sqlite3.connect(site.sqlite)) as database:
        database.execute(REFUSING)
    for number in range(3):
        site.run(PROGRAM, "hold", f"message-{number}")
    attachment = site.folder / "attachments" / "room" / "cat.png"
    attachment.parent.mkdir(parents=True)
    attachment.write_bytes(b"a cat")
    backup = _backup(site)
    manifest = json.loads((backup / "manifest.json").read_text())
    assert [copy["file"] for copy in manifest["redis"]] == [f"redis-{n}.rdb" for n in (1, 2, 3)]
    assert manifest["only_in_redis"] == ["{acct.south}"]
    assert {path.stat().st_mode & 0o777 for path in backup.iterdir()} == {0o600}
    before = site.figures()
    assert before["messages"] == []
    assert before["pool"] == ["open", 20]
    _lose(site, redis_cluster)
    shutil.rmtree(site.folder / "attachments")

    said = site.manage("restore", str(backup), "--yes")

    assert "numbers.pool: 1 in Redis" in said
    assert attachment.read_bytes() == b"a cat"
    closed = site.figures()
    assert closed["redis"] == before["redis"] == [10_000 - 3 * 800, 3 * 800]
    assert closed["pool"] == ["recovering", 20]
    with closing(sqlite3.connect(site.sqlite)) as database:
        database.execute("DROP TRIGGER refusing")
    site.run(PROGRAM, "heal")
    healed = site.figures()
    assert healed["sql"] == healed["redis"] == before["redis"]
    assert healed["messages"] == ["message-0", "message-1", "message-2"]
    assert healed["generation"] > before["generation"]
    assert healed["pool"] == ["recovering", 20]  # until switch-1 has reported all its calls
    site.run(PROGRAM, "report")
    for proof in (("audit",), ("pool", "reconcile", "--check"), ("line", "check")):
        site.manage(*proof)


def test_sql_alone_brings_everything_that_was_persisted(site, redis_cluster):
    site.run(PROGRAM, "hold", "message-0")
    backup = _backup(site)
    site.run(PROGRAM, "hold", "message-1")
    full = site.refused("restore", str(backup), "--yes")
    assert "SQL has tables and Redis at REDIS_URL has objects" in full

    site.manage("restore", str(backup), "--yes", "--replace", "--without-redis")

    assert _keys(redis_cluster) == [0, 0, 0]
    site.run(PROGRAM, "heal")
    healed = site.figures()
    assert healed["messages"] == ["message-0"]
    assert healed["sql"] == healed["redis"] == [9_200, 800]
    assert healed["pool"] == ["recovering", 20]
    site.run(PROGRAM, "report")
    site.manage("audit")
    site.manage("pool", "reconcile", "--check")
    site.manage("restore", str(_backup(site)), "--yes", "--replace")
    assert site.figures()["pool"] is None  # it was recovering: its wait begins again
    site.run(PROGRAM, "heal")
    assert site.figures()["pool"] == ["recovering", 20]


def test_what_cannot_be_restored_is_refused_before_anything_is_written(site, redis_cluster):
    backup = _backup(site)
    _lose(site, redis_cluster)

    def refused(copy: str) -> str:
        said = site.refused("restore", str(backup.parent / copy), "--yes")
        assert _keys(redis_cluster) == [0, 0, 0]
        with closing(sqlite3.connect(site.sqlite)) as database:
            assert database.execute("SELECT name FROM sqlite_master").fetchall() == []
        return said

    def changed(copy: str) -> Path:
        shutil.copytree(backup, backup.parent / copy)
        return backup.parent / copy

    with (changed("flipped") / "redis-2.rdb").open("r+b") as file:
        file.seek(20)
        byte = file.read(1)
        file.seek(20)
        file.write(bytes([byte[0] ^ 1]))
    assert "redis-2.rdb was changed or damaged" in refused("flipped")
    (changed("partial") / "sql.sqlite3").unlink()
    assert "sql.sqlite3 is missing" in refused("partial")
    rewrite(changed("newer"), migrations=["billing.9999_of_a_later_release"])
    assert "does not have: billing.9999_of_a_later_release" in refused("newer")
    rewrite(changed("postgres"), engine="postgresql")
    assert "The backup is of postgresql, and DATABASE_URL names sqlite" in refused("postgres")
    rewrite(changed("further"), redis=[{"server": "heavy", "file": "redis-1.rdb"}])
    assert "the Redis server 'heavy'" in refused("further")
    assert "is no backup" in refused("..")


def test_a_backup_that_fails_leaves_nothing_and_old_ones_are_deleted(site, redis_cluster):
    made = _backup(site)
    first = made.rename(made.with_name("20260101T000000Z"))  # no later backup takes its name
    nodes = redis_cluster.nodes
    with nodes[0].client() as client:
        client.acl_setuser("default", enabled=True, nopass=True, commands=["+@all", "-sync"])
        try:
            said = site.refused("backup", str(first.parent))
        finally:
            client.acl_setuser("default", enabled=True, nopass=True, commands=["+@all"])
    assert "Give it +sync and +replconf" in said
    assert [path.name for path in first.parent.glob("2*")] == [first.name]
    second = _backup(site, "--keep", "1")
    assert [path.name for path in first.parent.glob("2*")] == [second.name]
