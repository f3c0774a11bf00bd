"""`manage.py scripts`: the source of the SHAs in a switch's configuration."""

import hashlib
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from poolsite import hotpath
from poolsite.hotpath.library import libraries
from poolsite.hotpath.management.commands import scripts
from poolsite.runtime.redis_server import RedisServer
from tests.support.cluster import RedisCluster

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"[a-z.-]+/[a-z_]+  [1-9][0-9]*  [0-9a-f]{40}")


def printed(*args: str) -> list[str]:
    out = StringIO()
    call_command("scripts", *args, stdout=out)
    return out.getvalue().splitlines()


def listed() -> dict[str, str]:
    """Return the SHA of each script, as the command lists it."""
    words = (line.split("  ") for line in printed())
    return {title: sha for title, _, sha in words}


@pytest.fixture(autouse=True)
def _settings_redis(clean_redis: RedisServer) -> None:
    hotpath.reset()  # an earlier test may have left its own default


def test_it_prints_one_line_for_each_script_and_nothing_else(clean_redis: RedisServer) -> None:
    lines = printed()
    assert lines == sorted(lines)
    assert [line for line in lines if LINE.fullmatch(line) is None] == []
    assert {line.split("  ")[0] for line in lines} == set(hotpath.registered())


def test_redis_runs_what_it_printed_in_the_seeds_form(clean_redis: RedisServer) -> None:
    with clean_redis.client() as client:
        client.script_flush()
        shas = {line.split("  ")[0]: line.split("  ")[2] for line in printed()}
        assert client.evalsha(shas["hotpath/state"], 1, "{demo}") == ["", "0"]


def test_check_loads_nothing_and_names_what_is_missing(clean_redis: RedisServer) -> None:
    with clean_redis.client() as client:
        client.script_flush()
        with pytest.raises(CommandError, match="hotpath/state on the server"):
            printed("--check")
        assert client.script_exists(hotpath.registered()["hotpath/state"].sha1) == [False]
    lines = printed()
    assert printed("--check") == lines


def test_the_text_of_each_script_has_the_sha_that_is_listed() -> None:
    """A shell's "$(…)" drops line breaks at the end, so the text has none."""
    for title, sha in listed().items():
        out = StringIO()
        call_command("scripts", "--text", title, stdout=out)
        text = out.getvalue()
        assert hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest() == sha, title
        assert not text.endswith("\n"), title


@pytest.mark.processes
def test_redis_gives_the_printed_text_the_listed_sha(clean_redis: RedisServer) -> None:
    command = f"{sys.executable} manage.py scripts --text numbers/event"
    with clean_redis.client() as client:
        client.script_flush()
        shell = ["sh", "-c", f'printf %s "$({command})"']
        text = subprocess.run(shell, cwd=ROOT, capture_output=True, check=True).stdout
        assert client.script_load(text) == listed()["numbers/event"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("numbers/evnet", "numbers/event"),
        ("events", "numbers/events"),
        ("evnet", "numbers/event"),
        ("", "manage.py scripts"),
        ("../settings", "manage.py scripts"),
    ],
)
def test_an_unknown_name_is_refused_with_those_that_are_alike(name: str, near: str) -> None:
    with pytest.raises(CommandError, match=near):
        printed("--text", name)


def test_text_needs_no_redis_and_excludes_check() -> None:
    with hotpath.connect("redis://127.0.0.1:1"):
        assert printed("--text", "numbers/event")
    with pytest.raises(CommandError, match="not allowed with"):
        printed("--text", "numbers/event", "--check")


def test_every_master_of_a_cluster_gets_every_script(redis_cluster: RedisCluster) -> None:
    with hotpath.connect(redis_cluster.url):
        printed()
        shas = [script.sha1 for script in hotpath.registered().values()]
        for node in redis_cluster.nodes:
            with node.client() as client:
                assert all(client.script_exists(*shas))


def test_an_unreachable_redis_is_one_clear_sentence() -> None:
    with hotpath.connect("redis://:secret@127.0.0.1:1"):
        with pytest.raises(CommandError, match="Can't reach Redis") as raised:
            printed()
        assert "secret" not in str(raised.value)


def test_a_file_that_no_module_loads_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    forgotten = Path("queueing/line/lua/join.lua")
    monkeypatch.setattr(scripts, "unregistered_files", lambda: [forgotten])
    with pytest.raises(CommandError, match=r"queueing/line/lua/join\.lua"):
        printed()


def test_every_lua_file_of_the_installed_apps_is_loaded_at_start_up() -> None:
    assert scripts.unregistered_files() == []


def test_prune_deletes_the_libraries_of_other_releases_alone(clean_redis: RedisServer) -> None:
    other = "#!lua name=poolsite_admission_0\nredis.register_function('old_0', function() end)"
    foreign = "#!lua name=foreign\nredis.register_function('foreign', function() end)"
    with clean_redis.client() as client:
        client.function_flush()
        printed()
        ours = {row[1] for row in client.function_list()}
        assert ours == {each.name for each in libraries()}
        client.function_load(other)
        client.function_load(foreign)
        assert printed("--prune") == ["poolsite_admission_0 on the server"]
        assert {row[1] for row in client.function_list()} == ours | {"foreign"}
        assert printed("--prune") == []
        client.function_delete("foreign")


def test_prune_leaves_nothing_to_prune_on_any_server(each_redis: RedisServer) -> None:
    """Redis 6.2 has no libraries, and reports that."""
    with hotpath.connect(each_redis.url):
        printed("--prune")  # of earlier tests
        assert printed("--prune") == []
