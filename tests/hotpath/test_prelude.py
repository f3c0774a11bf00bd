"""What scripts have in common, on every kind of server."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poolsite import hotpath
from poolsite.hotpath import PRELUDE
from poolsite.hotpath.scripts import preluded_with, read_prelude
from poolsite.runtime.redis_server import RedisServer
from tests.hotpath.support import SCRIPTS, TAG
from tests.support.clock import TEST_PRELUDE, ScriptClock

PROBE = SCRIPTS["prelude_probe"]


@pytest.fixture
def path(each_redis: RedisServer) -> Iterator[hotpath.HotPath]:
    with hotpath.connect(each_redis.url) as path:
        yield path


def probe(what: str, value: str | int = "") -> hotpath.Command[str]:
    return hotpath.Command(PROBE, PROBE.keys_of(TAG), (what, value), lambda reply: reply[0])


def now(path: hotpath.HotPath, last_us: str | int) -> int:
    return int(path.run(probe("now", last_us)))


def test_time_is_redis_time_in_whole_microseconds(path: hotpath.HotPath) -> None:
    before = time.time_ns() // 1000
    seen = now(path, "")
    assert before - 1_000_000 < seen < time.time_ns() // 1000 + 1_000_000
    assert len(str(seen)) == 16


def test_time_stands_still_for_a_step_back_of_up_to_a_second(path: hotpath.HotPath) -> None:
    ahead = now(path, 0) + 900_000
    assert now(path, ahead) == ahead


def test_a_larger_step_back_shows_as_it_is(path: hotpath.HotPath) -> None:
    ahead = now(path, 0) + 5_000_000
    assert now(path, ahead) < ahead - 1_000_000


def test_time_takes_a_missing_field_for_the_beginning(path: hotpath.HotPath) -> None:
    assert int(path.run(probe("now again"))) > 1_700_000_000_000_000


@pytest.mark.parametrize("n", [0, 7, -5, 1763693000123456, 9007199254740992])
def test_integers_leave_lua_unharmed(path: hotpath.HotPath, n: int) -> None:
    assert path.run(probe("int", n)) == str(n)


@pytest.mark.parametrize(
    ("texts", "kept"), [(1, "1 1"), (1_000, "1000 1000"), (1_001, "1 1001"), (1_500, "500 1500")]
)
def test_what_was_read_is_forgotten_when_there_is_too_much_of_it(
    path: hotpath.HotPath, texts: int, kept: str
) -> None:
    assert path.run(probe("remember", texts)) == kept


@pytest.mark.parametrize(
    ("version", "answer"),
    [
        (None, "fine"),
        (1, "fine"),
        (4, "fine"),
        (5, "fine"),  # one release ahead: two releases overlap
        (6, "script outdated 0123abcd"),
    ],
)
def test_a_script_two_versions_behind_names_its_successor(
    path: hotpath.HotPath, version: int | None, answer: str
) -> None:
    if version is not None:
        path.client().hset(TAG, mapping={"script_version": version, "script_sha": "0123abcd"})
    assert path.run(probe("outdated")) == answer


def test_entries_have_gapless_ids_and_their_time(path: hotpath.HotPath) -> None:
    assert [path.run(probe("append", n)) for n in range(3)] == ["1", "2", "3"]
    assert path.client().xrange(f"{TAG}:log") == [
        (f"{n + 1}-0", {"at": "1763693000123456", "n": str(n)}) for n in range(3)
    ]


def test_a_full_log_drops_the_oldest_and_counts_them(path: hotpath.HotPath) -> None:
    path.client().hset(TAG, "log_limit", 5)
    path.run_batch([probe("append", n) for n in range(8)])
    assert [entry for entry, _ in path.client().xrange(f"{TAG}:log")] == [
        "4-0",
        "5-0",
        "6-0",
        "7-0",
        "8-0",
    ]
    assert path.client().hget(TAG, "dropped") == "3"


Step = tuple[str, int]
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(1, 8)),
        st.tuples(st.just("drain"), st.integers(1, 6)),
        st.tuples(st.just("limit"), st.integers(1, 9)),
    ),
    max_size=30,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_random_appends_drains_and_limits_drop_exactly_what_sql_has_not_taken(
    clean_redis: RedisServer, steps: list[Step]
) -> None:
    """Compare with a model: the newest `limit` undrained entries stay, the rest is counted."""
    with hotpath.connect(clean_redis.url) as path:
        redis = path.client()
        redis.delete(TAG, f"{TAG}:log")
        seq = drained = dropped = 0
        limit, lost_up_to = 4, 0
        redis.hset(TAG, "log_limit", limit)
        for what, n in steps:
            if what == "append":
                path.run_batch([probe("append", 0)] * n)
                for seq in range(seq + 1, seq + n + 1):  # noqa: B020
                    newly_lost = range(max(drained, lost_up_to) + 1, seq - limit + 1)
                    dropped += len(newly_lost)
                    lost_up_to = max(lost_up_to, seq - limit)
            elif what == "drain":
                drained = min(seq, max(drained, lost_up_to) + n)
                redis.hset(TAG, "drained", drained)
            else:
                limit = n
                redis.hset(TAG, "log_limit", limit)
            held = [int(entry.partition("-")[0]) for entry, _ in redis.xrange(f"{TAG}:log")]
            undrained = [entry for entry in held if entry > drained]
            assert undrained == list(range(max(drained, lost_up_to) + 1, seq + 1))
            assert int(redis.hget(TAG, "dropped") or 0) == dropped


# -- the text that Redis gets ------------------------------------------------------------------


def test_only_the_functions_that_a_body_names_are_put_before_it() -> None:
    assert "local function" not in SCRIPTS["pair"].text.partition("--[[")[0]
    count = SCRIPTS["count"].text.partition("--[[")[0]
    assert "function now_us(" in count
    assert "function trim_log(" in count
    assert "function is_digits(" not in count
    assert {"now_us", "trim_log", "is_digits"} < set(read_prelude(PRELUDE))


def test_the_prelude_leaves_the_lines_of_a_file_where_they_are() -> None:
    for script in SCRIPTS.values():
        assert script.text.count("\n") == script.body.rstrip("\n").count("\n")
        assert script.text.splitlines()[1:] == script.body.splitlines()[1:]


def test_an_error_names_the_line_of_the_file(path: hotpath.HotPath) -> None:
    script = SCRIPTS["fail"]
    line = script.body.splitlines().index("error('broken on purpose')") + 1
    with pytest.raises(hotpath.ScriptFailed, match=f"user_script:{line}: broken"):
        path.run(hotpath.Command(script, (TAG,), (), len))


def test_no_shipped_text_can_be_told_to_read_another_clock() -> None:
    shipped = {script.title: script.sha1 for script in hotpath.registered().values()}
    with preluded_with(TEST_PRELUDE):
        assert "test:clock" in SCRIPTS["count"].text
        assert SCRIPTS["count"].sha1 != shipped["hotpathtest/count"]
    assert {title: script.sha1 for title, script in hotpath.registered().items()} == shipped
    assert not [s for s in hotpath.registered().values() if "test:clock" in s.text]


def test_the_test_clock_moves_only_when_told(test_clock: ScriptClock) -> None:
    command = probe("now", "")
    hotpath.reset()
    first = int(hotpath.run(command))
    assert first == test_clock.now_us
    assert int(hotpath.run(command)) == first
    assert test_clock.advance(90.5) == first + 90_500_000
    assert int(hotpath.run(command)) == first + 90_500_000


def test_a_prelude_of_another_file_replaces_functions_by_name(tmp_path: Path) -> None:
    other = tmp_path / "other.lua"
    other.write_text("local function int(n)\n  return 'replaced'\nend\n")
    with preluded_with(other):
        assert "return 'replaced'" in PROBE.text
        assert "redis.call('TIME')" in PROBE.text
