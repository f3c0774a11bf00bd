"""A list of requests answers, and stores, what the same requests do one by one."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poolsite.api.gather import Gatherer
from queueing.admission import gate
from tests.admission.gate_support import GENERATION, KEYS, SLUG, GateUnderTest
from tests.hotpath.starving import everything

ALIKE = "twin"  # the gate that gets the same requests one by one
START_US = 1_700_000_000_000_000
HOLDERS = st.sampled_from(["a", "b", "c"])
TOKENS = st.sampled_from(["its own", "its own", "its own", "another", "of nobody"])
TOLD = st.sampled_from([{}, {"ok": True, "took_ms": 7}, {"ok": False}])
SETTINGS = st.builds(
    gate.GateSettings,
    cap=st.sampled_from([1, 1, 2, 3]),
    fair=st.booleans(),
    look_ahead=st.sampled_from([1, 2]),
    rate_per_second=st.sampled_from([0, 0, 2]),
    permit_seconds=st.just(30),
    longest_seconds=st.sampled_from([30, 40]),
)
Asked = tuple[str, str, str, dict[str, Any]]  # verb, holder, whose token, the arguments
ASKED = st.tuples(
    st.sampled_from(["acquire", "acquire", "renew", "release", "release"]), HOLDERS, TOKENS, TOLD
)
LISTS = st.lists(
    st.tuples(st.lists(ASKED, min_size=1, max_size=12), st.sampled_from([0, 1, 20, 31])),
    min_size=2,
    max_size=4,
)


class Twins:
    """Two gates with the same history: one gets lists, the other single requests."""

    def __init__(self, bench: GateUnderTest) -> None:
        self.bench = bench
        self.tokens: dict[str, int] = {}

    def start(self, given: gate.GateSettings) -> None:
        self.bench.client.flushdb()
        assert self.bench.clock is not None
        self.bench.clock.set(START_US)
        for slug in (SLUG, ALIKE):
            self.bench.run(gate.create(slug, GENERATION, given))

    def request(self, asked: Asked) -> gate.Request[Any]:
        verb, holder, whose, told = asked
        if verb == "acquire":
            return gate.to_acquire(holder)
        token = {
            "its own": self.tokens.get(holder, GENERATION),
            "another": max(self.tokens.values(), default=GENERATION),
            "of nobody": GENERATION,
        }[whose]
        if verb == "renew":
            return gate.to_renew(holder, token)
        return gate.to_release(holder, token, **told)

    def ask(self, batch: Sequence[gate.Request[Any]]) -> None:
        together = self.bench.run(gate.requests(SLUG, batch))
        assert together == [self.bench.run(each.command(ALIKE)) for each in batch]
        for request, answer in zip(batch, together, strict=True):
            if isinstance(answer, gate.Permit) and answer.granted:
                self.tokens[request.arguments[0]] = answer.token

    def check_alike(self) -> None:
        mine, alike = KEYS.tag, gate.GateKeys(ALIKE).tag
        found = everything(self.bench.client)
        assert {
            key.removeprefix(mine): value for key, value in found.items() if key.startswith(mine)
        } == {
            key.removeprefix(alike): value for key, value in found.items() if key.startswith(alike)
        }
        self.bench.check_structure()


OVERTAKING: list[tuple[list[Asked], int]] = [
    ([("acquire", "a", "its own", {})], 0),
    (
        [
            ("acquire", "b", "its own", {}),
            ("release", "a", "its own", {}),
            ("acquire", "c", "its own", {}),  # b is before it since this very list
        ],
        0,
    ),
]


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given_settings=SETTINGS, lists=LISTS)
@example(given_settings=gate.GateSettings(cap=1, fair=True, look_ahead=1), lists=OVERTAKING)
def test_a_list_does_what_its_requests_do_one_by_one(
    bench: GateUnderTest,
    given_settings: gate.GateSettings,
    lists: list[tuple[list[Asked], int]],
) -> None:
    twins = Twins(bench)
    twins.start(given_settings)
    for asked, seconds in lists:
        twins.ask([twins.request(each) for each in asked])
        twins.check_alike()
        assert bench.clock is not None
        bench.clock.advance(seconds)


def test_a_malformed_row_is_refused_alone_and_the_others_count(bench: GateUnderTest) -> None:
    held = bench.acquire("a")
    batch = [
        gate.to_acquire("b"),
        gate.to_acquire("no name"),
        gate.to_renew("a", 1),
        gate.to_release("a", held.token, took_ms=-1),
        gate.to_acquire("c"),
        gate.to_release("a", held.token),
    ]
    answers = bench.run(gate.requests(SLUG, batch))
    refused = {
        place: answer.reason
        for place, answer in enumerate(answers)
        if isinstance(answer, gate.GateRefusedError)
    }
    assert refused == {1: "malformed holder", 2: "malformed token", 3: "malformed outcome"}
    assert (answers[0].granted, answers[4].granted, answers[5].done) == (True, True, True)
    assert {permit.holder for permit in bench.run(gate.holders(SLUG)).rows} == {"b", "c"}


@pytest.mark.parametrize("row", ["dance\ta", "", "acquire", "ACQUIRE\ta", "release\ta\t1", "\ta"])
def test_a_row_that_is_no_request_is_refused_alone(bench: GateUnderTest, row: str) -> None:
    first, refused, last = bench.raw("requests", "acquire\ta", row, "acquire\tb")
    assert refused == "-1\t\t\tmalformed request"
    assert [each.split("\t")[0] for each in (first, last)] == ["1", "1"]
    assert bench.show().used == 2


@pytest.mark.parametrize("count", [0, 33])
def test_no_row_and_more_than_32_are_refused_whole(bench: GateUnderTest, count: int) -> None:
    rows = [f"acquire\th{place}" for place in range(count)]
    assert bench.raw("requests", *rows) == ["-1", "", "", "malformed requests"]
    assert bench.show().used == 0
    with pytest.raises(ValueError, match=f"1 to 32 requests, not {count}"):
        gate.requests(SLUG, [gate.to_acquire(f"h{place}") for place in range(count)])


def test_32_rows_are_taken(bench: GateUnderTest) -> None:
    batch = [gate.to_acquire(f"h{place}") for place in range(32)]
    tokens = [permit.token for permit in bench.run(gate.requests(SLUG, batch))]
    assert tokens == sorted(set(tokens))
    assert bench.show().used == 32


async def test_what_the_gate_refuses_as_a_whole_reaches_every_caller(bench: GateUnderTest) -> None:
    gatherer: Gatherer[gate.Request[Any], Any] = Gatherer(gate.requests, bench.path)
    asking = [
        *(gatherer.run("nowhere", gate.to_acquire(f"h{place}")) for place in range(40)),
        gatherer.run(SLUG, gate.to_acquire("a")),
    ]
    *refused, permit = await asyncio.gather(*asking, return_exceptions=True)
    assert [str(each) for each in refused] == ["no such gate"] * 40
    assert {type(each) for each in refused} == {gate.GateRefusedError}
    assert permit.granted
