"""The seed's table, row by row, as any client of Redis sends it: EVALSHA <sha> 1 {numpool} …"""

import csv
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from numbers import pool
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import KEYS, PoolUnderTest, pool_on

DATA = Path(__file__).resolve().parents[1] / "data" / "number_transitions.csv"
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "number_transitions.csv"
NUMBER = "13800000000"
OUTCOMES = {"ok": "1", "failed": "0", "error": "-1"}

# How a new number is brought into each state, by events alone.
WAYS = {
    "nodata": [],
    "idle+down": ["add"],
    "idle+up": ["add", "reg"],
    "busy+up": ["add", "reg", "call"],
    "busy+down": ["add", "reg", "call", "unreg"],
}


def rows() -> list[dict[str, str]]:
    with DATA.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def bench(each_redis: RedisServer) -> Iterator[PoolUnderTest]:
    with pool_on(each_redis.url) as bench:
        yield bench.create()


def stored_state(bench: PoolUnderTest) -> str:
    text = bench.client.hget(KEYS.numstate, NUMBER)
    state = pool.parse_state(NUMBER, text or "")
    return state.name if state else "nodata"


def test_the_table_has_five_states_by_six_events() -> None:
    table = rows()
    assert len(table) == 30
    assert {row["state"] for row in table} == set(WAYS)
    assert len({(row["state"], row["event"]) for row in table}) == 30


def test_the_kept_table_is_the_given_one() -> None:
    if SHARED.exists():
        assert DATA.read_bytes() == SHARED.read_bytes()
    assert DATA.read_text(encoding="utf-8").startswith("state,event,next_state,outcome,idle_list")


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row['state']} {row['event']}")
def test_every_row_of_the_table_holds(bench: PoolUnderTest, row: dict[str, str]) -> None:
    for event in WAYS[row["state"]]:
        assert bench.raw(event, NUMBER)[0] == "1"
    assert stored_state(bench) == row["state"]
    idle_before = bench.idle()
    seq_before = bench.figures().seq

    reply = bench.raw(row["event"], NUMBER)

    assert reply[:3] == [OUTCOMES[row["outcome"]], NUMBER, row["next_state"]]
    assert stored_state(bench) == row["next_state"]
    effect = {"add": [NUMBER], "remove": [], "-": idle_before}[row["idle_list"]]
    assert bench.idle() == effect
    changed = row["state"] != row["next_state"]
    assert bench.figures().seq == seq_before + changed
    assert bench.problems() == []
    if row["idle_list"] == "add":
        score = bench.client.zscore(KEYS.idle, NUMBER)
        assert score is not None
        assert score <= bench.figures().as_of_us


def test_a_state_is_the_seeds_json(bench: PoolUnderTest) -> None:
    bench.raw("add", NUMBER)
    bench.raw("reg", NUMBER)
    text = bench.client.hget(KEYS.numstate, NUMBER)
    assert text is not None
    assert text.startswith('{"callstate":0,"regstate":1')


def test_a_call_without_a_number_picks_one(bench: PoolUnderTest) -> None:
    bench.add(NUMBER)
    assert bench.raw("call")[:4] == ["1", NUMBER, "busy+up", ""]
    assert bench.raw("call") == ["0", "", "", "exhausted"]


def test_a_number_with_options_left_out_is_a_dash(bench: PoolUnderTest) -> None:
    bench.add(NUMBER)
    assert bench.raw("call", "-", "call_id", "a")[:2] == ["1", NUMBER]


def test_an_event_may_be_one_json_object(bench: PoolUnderTest) -> None:
    def send(**event: object) -> list[str]:
        return bench.raw(json.dumps(event))

    assert send(event="add", number=NUMBER)[:3] == ["1", NUMBER, "idle+down"]
    assert send(event="reg", number=NUMBER, seq=5)[2] == "idle+up"
    assert send(event="call", call_id="a", agent=None, force=True)[:2] == ["1", NUMBER]
    assert send(event="hangup", call_id="a")[:3] == ["1", NUMBER, "idle+up"]


def test_all_keys_given_and_the_tag_alone_do_the_same(bench: PoolUnderTest) -> None:
    bench.raw("add", NUMBER)
    assert bench.event("reg", NUMBER).state == "idle+up"
    assert bench.raw("call")[1] == NUMBER
    assert bench.event("hangup", NUMBER).state == "idle+up"


def test_without_its_settings_there_is_no_pool(each_redis: RedisServer) -> None:
    with pool_on(each_redis.url) as bench:
        for event in pool.EVENTS:
            assert bench.raw(event, NUMBER) == ["-1", "", "", "no such pool"]
        assert bench.client.dbsize() == 0


def test_a_state_that_another_hand_wrote_is_understood(bench: PoolUnderTest) -> None:
    foreign = '{"regstate": 1, "callstate": 0, "note": "by \\"hand\\"", "n": [1, 2]}'
    bench.client.hset(KEYS.numstate, NUMBER, foreign)
    assert bench.raw("call", NUMBER)[:3] == ["1", NUMBER, "busy+up"]
    assert bench.raw("hangup", NUMBER)[:3] == ["1", NUMBER, "idle+up"]
    assert '"note":"by \\u0022hand\\u0022"' in (bench.client.hget(KEYS.numstate, NUMBER) or "")
    bench.client.hset(KEYS.numstate, NUMBER, '{"callstate":1,"regstate":1}')
    assert bench.raw("hangup", NUMBER)[:3] == ["1", NUMBER, "idle+up"]


def test_an_unreadable_state_is_refused_and_can_be_deleted(bench: PoolUnderTest) -> None:
    bench.client.hset(KEYS.numstate, NUMBER, "not JSON")
    assert bench.raw("call", NUMBER)[3] == "unreadable state"
    assert bench.raw("reg", NUMBER)[3] == "unreadable state"
    assert bench.raw("del", NUMBER)[:3] == ["1", NUMBER, "nodata"]
    assert bench.client.hlen(KEYS.numstate) == 0


def test_our_own_processes_are_told_everything_in_either_form(bench: PoolUnderTest) -> None:
    bench.add("1001")
    assert bench.event("call", call_id="a").lease_seconds == 14_400
    waiting = bench.event("call", call_id="b", wait_ms=1_000)
    assert (waiting.reason, waiting.place) == ("waiting", 1)
    assert waiting.retry_ms is not None
