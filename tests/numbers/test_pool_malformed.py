"""Bad input from the Redis command line: a clear answer, and not one byte of the pool changed."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from numbers import pool
from poolsite.runtime.redis_server import RedisServer
from tests.numbers.pool_support import KEYS, SLUG, PoolUnderTest, pool_on

NUMBER = "13800000000"


@pytest.fixture
def bench(clean_redis: RedisServer) -> Iterator[PoolUnderTest]:
    with pool_on(clean_redis.url) as bench:
        bench.create(near=True, sticky_seconds=60)
        bench.add(NUMBER, near="86")
        bench.event("call", call_id="x", switch="sw", incarnation="b", agent="a", callee="c")
        bench.add("2", near="86")
        yield bench


MALFORMED: dict[str, list[str | bytes]] = {
    "nothing": [],
    "empty event": [""],
    "unknown event": ["dance", NUMBER],
    "event in capitals": ["ADD", NUMBER],
    "event with NUL": [b"add\0", NUMBER],
    "no number": ["add"],
    "dash for a number": ["del", "-"],
    "empty number": ["reg", ""],
    "letters": ["add", "12a"],
    "plus alone": ["add", "+"],
    "two pluses": ["add", "++1"],
    "33 digits": ["add", "1" * 33],
    "plus and 33 digits": ["add", "+" + "1" * 33],
    "full-width digits": ["add", "１２３"],
    "Arabic digits": ["add", "١٣٨"],
    "number with NUL": ["add", b"123\x00"],
    "number with a line feed": ["add", "123\n"],
    "broken UTF-8 for a number": ["add", b"\xff\xfe"],
    "hangup of nothing": ["hangup"],
    "renew of nothing": ["renew", "-"],
    "odd options": ["call", "-", "call_id"],
    "unknown option": ["call", "-", "colour", "red"],
    "option in capitals": ["call", "-", "CALL_ID", "y"],
    "long call id": ["call", "-", "call_id", "x" * 129],
    "long switch": ["call", "-", "switch", "x" * 65],
    "long incarnation": ["call", "-", "switch", "s", "incarnation", "x" * 65],
    "incarnation without switch": ["call", "-", "incarnation", "x"],
    "long agent": ["call", "-", "agent", "x" * 65],
    "long callee": ["call", "-", "callee", "1" * 65],
    "long contact": ["reg", NUMBER, "contact", "x" * 257],
    "long reason": ["hangup", NUMBER, "reason", "x" * 201],
    "long cause": ["hangup", NUMBER, "call_id", "x", "cause", "x" * 65],
    "cause with NUL": ["hangup", NUMBER, "call_id", "x", "cause", b"16\0"],
    "cause that is not UTF-8": ["hangup", NUMBER, "call_id", "x", "cause", b"\xc3("],
    "cause with a tab, of a registration": ["reg", NUMBER, "cause", "1\t6"],
    "answered as a word": ["hangup", NUMBER, "call_id", "x", "answered", "yes"],
    "talk time of a call not answered": [
        *("hangup", NUMBER, "call_id", "x", "answered", "0", "talk_seconds", "4"),
    ],
    "talk time and no answer": ["hangup", NUMBER, "call_id", "x", "talk_seconds", "4"],
    "talk time as a fraction": [
        *("hangup", NUMBER, "call_id", "x", "answered", "1", "talk_seconds", "4.5"),
    ],
    "enormous talk time": [
        *("hangup", NUMBER, "call_id", "x", "answered", "1", "talk_seconds", "315360001"),
    ],
    "long voucher": ["call", "-", "paid", "x" * 129],
    "10 MB option": ["call", "-", "agent", "x" * 10_000_000],
    "call id with NUL": ["call", "-", "call_id", b"a\0b"],
    "call id with a tab": ["call", "-", "call_id", "a\tb"],
    "agent with DEL": ["call", "-", "agent", "a\x7f"],
    "broken UTF-8": ["call", "-", "agent", b"\xc3("],
    "half a character": ["call", "-", "agent", b"\xe7\x8e"],
    "surrogates": ["call", "-", "agent", b"\xed\xa0\x80"],
    "overlong UTF-8": ["call", "-", "agent", b"\xc0\xaf"],
    "beyond Unicode": ["call", "-", "agent", b"\xf4\x90\x80\x80"],
    "direction": ["call", "-", "direction", "up"],
    "inbound to nobody": ["call", "-", "direction", "in"],
    "force": ["call", NUMBER, "force", "yes"],
    "sticky": ["call", "-", "sticky", "2"],
    "near": ["call", "-", "near", "86|1"],
    "near with spaces": ["call", "-", "near", "86 beijing"],
    "expires as a fraction": ["reg", NUMBER, "expires", "1.5"],
    "negative expires": ["reg", NUMBER, "expires", "-1"],
    "enormous expires": ["reg", NUMBER, "expires", "9" * 40],
    "NaN expires": ["reg", NUMBER, "expires", "nan"],
    "expires in hexadecimal": ["reg", NUMBER, "expires", "0x10"],
    "expires over ten years": ["reg", NUMBER, "expires", "315360001"],
    "seq beyond 2^53": ["reg", NUMBER, "seq", "9007199254740993"],
    "seq in full-width digits": ["reg", NUMBER, "seq", "１"],
    "wait without an id": ["call", "-", "wait_ms", "5"],
    "enormous wait": ["call", "-", "call_id", "y", "wait_ms", "60001"],
    "wait as a word": ["call", "-", "call_id", "y", "wait_ms", "soon"],
    "not JSON": ["{"],
    "JSON and more": ['{"event":"add"}', NUMBER],
    "JSON list in an option": ['{"event":"call","call_id":["x"]}'],
    "JSON with a fraction": ['{"event":"reg","number":"1","seq":1.5}'],
    "JSON with an unknown name": ['{"event":"call","colour":"red"}'],
    "JSON with an escaped control character": ['{"event":"call","agent":"a\\u0000b"}'],
    "deep JSON": ["{" + '"a":{' * 2000],
}


@pytest.mark.parametrize("words", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_input_is_named_and_nothing_is_written(
    bench: PoolUnderTest, words: list[str | bytes]
) -> None:
    before = bench.everything()
    reply = bench.raw(*words)
    assert len(reply) == 4
    assert reply[0] == "-1"
    assert reply[2] == ""
    assert reply[3].startswith("malformed ")
    if words[1:2] == [NUMBER]:
        assert reply[1] == NUMBER or reply[3] == "malformed JSON"
    assert bench.everything() == before


WORDS = st.one_of(
    st.sampled_from([*pool.EVENTS, "-", "", NUMBER, "2", "+49", "x", "sw", "b", "1", "0", "in"]),
    st.sampled_from(
        [
            *("call_id", "switch", "incarnation", "agent", "callee", "direction", "force", "near"),
            *("sticky", "paid", "contact", "expires", "seq", "reason", "wait_ms"),
            *("cause", "answered", "talk_seconds"),
        ]
    ),
    st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.binary(max_size=40),
    st.integers().map(str),
)
JSON_EVENTS = st.dictionaries(
    st.one_of(st.sampled_from(["event", "number", "call_id", "seq", "force"]), st.text(max_size=5)),
    st.one_of(
        st.sampled_from([*pool.EVENTS, NUMBER, "2"]),
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=10),
        st.lists(st.integers(), max_size=2),
    ),
    max_size=5,
).map(lambda event: [json.dumps(event)])


@settings(
    max_examples=400,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(words=st.one_of(st.lists(WORDS, max_size=9), JSON_EVENTS))
@example(words=["hangup", "-", "call_id", b"\xf0\x9f\x8e\x88"])
def test_whatever_is_sent_the_pool_stays_whole(
    bench: PoolUnderTest, words: list[str | bytes]
) -> None:
    before = bench.everything()
    reply = bench.raw(*words)
    assert reply[0] in ("1", "0", "-1")
    if reply[3].startswith("malformed"):
        assert bench.everything() == before
    assert bench.problems() == []
    for key in (KEYS.numstate, KEYS.tag):  # everything that is kept can be read as text
        bench.client.hgetall(key)
    for change in bench.changes():
        assert change.event
    assert bench.figures().seq == bench.client.xlen(KEYS.log)


@pytest.mark.parametrize("verb", ["", "Call", "jump", "{"])
def test_an_unknown_event_of_a_list_is_refused_alone(bench: PoolUnderTest, verb: str) -> None:
    bench.add(NUMBER)
    outcomes = bench.run(
        pool.events(SLUG, [pool.Event.of(verb, NUMBER), pool.Event.of("unreg", NUMBER)])
    )
    assert [outcome.code for outcome in outcomes] == [-1, 1]
    assert outcomes[0].reason.startswith("malformed ")


@pytest.mark.parametrize(
    "words", [["x"], ["0"], ["3", "add"], ["-1", "add"], ["2", "add", "1"] * 33, ["9999", "add"]]
)
def test_a_malformed_batch_is_refused_as_a_whole(bench: PoolUnderTest, words: list[str]) -> None:
    before = bench.everything()
    script = pool.SCRIPTS["events"]
    reply = bench.client.eval(script.text, 1, KEYS.tag, *words)
    assert reply == ["-1", "", "", "malformed batch"]
    assert bench.everything() == before


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("configure", ["short"]),
        ("pause", ["2", "why"]),
        ("open", ["later"]),
        ("quarantine", ["1", "why"]),
        ("force_hangup", [NUMBER, "", "", "softly"]),
        ("voucher", ["", "5", ""]),
        ("voucher", ["v", "-5", ""]),
        ("load", ["add", "12"]),
        ("load", ["add", "12", "2", "", ""]),
        ("load", ["add", "１２", "1", "", ""]),
        ("load", ["add", "12", "1", "a|b", ""]),
        ("label", ["12"]),
        ("label", ["12", "a b"]),
        ("release", ["0"]),
        ("release", ["x"]),
        ("sweep", ["1001"]),
        ("scan", ["numstate", "x", "5", "0"]),
        ("scan", ["log", "0", "5", "0"]),
        ("recount", ["1", "1", "-1", "0", "1"]),
        ("live_list", ["", "b", "1700000000000000", "1", "1", "0"]),
        ("live_list", ["sw", "b", "17", "1", "1", "0"]),
        ("live_list", ["sw", "b", "1700000000000000", "2", "1", "0"]),
        ("live_list", ["sw", "b", "1700000000000000", "1", "1", "0", "id"]),
        ("live_list", ["sw", "b", "1700000000000000", "1", "1", "0", "a\tb", NUMBER]),
        ("live_list", ["sw", "b", "1700000000000000", "1", "1", "0", "a", "12x"]),
        ("create", ["x", "o", ""]),
        ("create", ["2", "z", ""]),
        ("create", ["2", "o", "short"]),
    ],
)
def test_other_scripts_refuse_bad_input_too(
    bench: PoolUnderTest, script: str, words: list[str]
) -> None:
    before = bench.everything()
    reply = bench.client.eval(pool.SCRIPTS[script].text, 1, KEYS.tag, *words)
    assert reply[0] == "-1"
    assert reply[3].startswith("malformed")
    assert bench.everything() == before
