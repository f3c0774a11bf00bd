"""What a list of requests and the history refuse or keep, for every caller."""

from typing import Any

import pytest

from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import KEYS, SLUG, GateUnderTest, gate_on


def holders(bench: GateUnderTest) -> list[str]:
    """Return the holders that were granted a permit, oldest first."""
    return [change.holder for change in bench.changes() if change.event == "granted"]


@pytest.mark.parametrize(
    "bad",
    [
        gate.to_acquire(""),
        gate.to_acquire("b c"),
        gate.to_acquire("b\tc d"),
        gate.to_renew("b", 7),
        gate.to_release("b c", 10**15),
        gate.to_release("b", 10**16),
        gate.to_release("b", 10**15, took_ms=-5),
        gate.Request("steal", ("b",), gate.to_acquire("b").read),
    ],
    ids=lambda request: repr(request.row()),
)
def test_a_malformed_request_is_refused_alone_and_writes_nothing(
    bench: GateUnderTest, bad: gate.Request[Any]
) -> None:
    asked = [gate.to_acquire("a"), bad, gate.to_acquire("z")]
    first, refused, last = bench.run(gate.requests(SLUG, asked))
    assert (first.granted, last.granted) == (True, True)
    assert isinstance(refused, gate.GateRefusedError)
    assert "malformed" in str(refused)
    assert holders(bench) == ["a", "z"]
    assert len(bench.changes()) == 3  # the gate's making, and these two


@pytest.mark.parametrize("count", [0, gate.REQUESTS_LIMIT + 1])
def test_a_list_of_a_wrong_length_is_refused_as_a_whole(bench: GateUnderTest, count: int) -> None:
    rows = [gate.to_acquire(f"h{place}").row() for place in range(count)]
    assert bench.raw("requests", *rows) == ["-1", "", "", "malformed requests"]
    assert holders(bench) == []


def test_the_history_keeps_what_sql_has_not_taken_up_to_its_limit(clean_redis: RedisServer) -> None:
    with gate_on(clean_redis.url) as bench:
        bench.create(log_limit=100)
        bench.client.hset(KEYS.tag, "drained", 50)
        for _ in range(127):
            bench.release("a", bench.acquire("a").token)
        assert len(bench.changes()) == 255
        bench.acquire("a")  # the 256th entry: the history is compared with its limit
        kept = [entry for entry, _ in bench.client.xrange(f"{KEYS.tag}:log")]
        assert kept == [f"{seq}-0" for seq in range(157, 257)]
        assert bench.client.hget(KEYS.tag, "dropped") == "106"  # 51 to 156
