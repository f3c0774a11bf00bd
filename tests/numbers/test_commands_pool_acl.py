"""`manage.py pool acl`: the Redis user of a switch, printed or set."""

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.core.management import call_command
from django.core.management.base import CommandError

from numbers import pool
from numbers.management.commands import pool as command
from numbers.pool.switch_user import switch_user
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.people import make_pool
from tests.support.cluster import RedisCluster

pytestmark = pytest.mark.django_db(transaction=True)

SHA = pool.SCRIPTS["event"].sha1


@pytest.fixture(autouse=True)
def _no_user_stays(clean_redis: RedisServer) -> Iterator[None]:
    hotpath.reset()
    yield
    with clean_redis.client() as client:
        for name in client.acl_users():
            if name != "default":
                client.acl_deluser(name)


def run(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("pool", "acl", *arguments, stdout=out)
    return out.getvalue().splitlines()


def as_user(server: RedisServer, name: str, password: str) -> Any:
    return redis.Redis(
        unix_socket_path=str(server.socket),
        username=name,
        password=password,
        decode_responses=True,
    )


def password_of(lines: list[str]) -> str:
    found = re.search(r"^Password \(shown only once\): (\S{40,})$", "\n".join(lines), re.MULTILINE)
    assert found is not None
    return found[1]


def test_it_prints_a_line_that_redis_takes_and_changes_nothing(clean_redis: RedisServer) -> None:
    make_pool(numbers=1)
    lines = run("east", "fs-01")
    assert password_of(lines) not in lines[0]
    with clean_redis.client() as client:
        assert client.acl_users() == ["default"]
        assert client.execute_command(*lines[0].split()) in ("OK", True)
        hotpath.default().load_scripts()
        with as_user(clean_redis, "east.fs-01", password_of(lines)) as switch:
            assert switch.evalsha(SHA, 1, "{east}", "call")[2] == "busy+up"
    assert not AuditEntry.objects.filter(action="numbers.switch_user").exists()
    assert password_of(run("east", "fs-01")) != password_of(lines)


def test_the_line_is_what_the_server_takes_and_calls_functions_where_it_has_them(
    each_redis: RedisServer,
) -> None:
    with hotpath.connect(each_redis.url) as path, each_redis.client() as client:
        make_pool(numbers=1)
        path.load_scripts()
        lines = run("east", "fs-01")
        assert client.execute_command(*lines[0].split()) in ("OK", True)
        assert ("+fcall" in lines[0].split()) == path.knows_functions()
        with as_user(each_redis, "east.fs-01", password_of(lines)) as switch:
            assert switch.evalsha(SHA, 1, "{east}", "call")[2] == "busy+up"
            if path.knows_functions():
                reply = switch.execute_command("FCALL", "numbers_event", 1, "{east}", "call")
                assert reply == ["0", "", "", "exhausted"]
        client.acl_deluser("east.fs-01")


def test_apply_sets_the_user_in_place_of_the_one_before(clean_redis: RedisServer) -> None:
    make_pool(numbers=1)
    hotpath.default().load_scripts()
    with clean_redis.client() as client:
        client.execute_command("ACL", "SETUSER", "east.fs-01", "on", "nopass", "~*", "+@all")
    lines = run("east", "fs-01", "--apply")
    assert any("a restart loses the user" in line for line in lines)
    with as_user(clean_redis, "east.fs-01", password_of(lines)) as switch:
        assert switch.evalsha(SHA, 1, "{east}", "call")[2] == "busy+up"
        with pytest.raises(redis.exceptions.NoPermissionError):
            switch.evalsha(SHA, 1, "{west}", "call")
    with (
        as_user(clean_redis, "east.fs-01", "any other") as other,
        pytest.raises(redis.exceptions.AuthenticationError),
    ):
        other.ping()
    entry = AuditEntry.objects.get(action="numbers.switch_user")
    assert entry.after == {"switch": "fs-01", "redis_user": "east.fs-01"}


def test_a_password_can_be_given_and_is_not_shown(
    clean_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_pool(numbers=1)
    monkeypatch.setattr(command, "getpass", lambda prompt: "a long enough password")
    lines = run("east", "fs-01", "--ask", "--apply")
    assert "enough" not in "".join(lines)
    with as_user(clean_redis, "east.fs-01", "a long enough password") as switch:
        assert switch.ping()


@pytest.mark.parametrize(
    "arguments", [("nowhere", "fs-01"), ("east", "fs 01"), ("east", ""), ("east", "~*"), ("east",)]
)
def test_what_cannot_be_a_user_is_one_clear_error(
    clean_redis: RedisServer, arguments: tuple[str, ...]
) -> None:
    make_pool(numbers=1)
    with pytest.raises(CommandError):
        run(*arguments, "--apply")
    with clean_redis.client() as client:
        assert client.acl_users() == ["default"]


def test_a_short_password_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    make_pool(numbers=1)
    monkeypatch.setattr(command, "getpass", lambda prompt: "short")
    with pytest.raises(CommandError, match="at least 16"):
        run("east", "fs-01", "--ask", "--apply")


def test_every_master_of_a_cluster_gets_the_user(redis_cluster: RedisCluster) -> None:
    """The switch's client finds the pool's master on its own, with this user's rights."""
    user = switch_user("east", "fs-01", "a long enough password", cluster=True, functions=True)
    with contextlib.closing(hotpath.HotPath(redis_cluster.url)) as path:
        path.load_scripts()
        assert len(path.set_user(user.name, user.rules)) == len(redis_cluster.nodes)
        path.run(pool.create("east", 1, pool.PoolSettings()))
        path.run(pool.event("east", pool.Event.of("add", "1001")))
        host, port = path.address.hosts[0]
        with redis.RedisCluster(
            host=host,
            port=port,
            username=user.name,
            password="a long enough password",
            decode_responses=True,
        ) as switch:
            keys = pool.PoolKeys("east").all
            assert switch.evalsha(SHA, len(keys), *keys, "reg", "1001")[2] == "idle+up"
            assert (
                switch.fcall("numbers_event", len(keys), *keys, "unreg", "1001")[2] == "idle+down"
            )
    for node in redis_cluster.nodes:
        with node.client() as client:
            client.acl_deluser(user.name)
