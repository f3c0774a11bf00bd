"""The request bodies that the machine interfaces read, and refusals before anything is executed."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbers.api.hot import EVENTS
from numbers.pool import Event
from poolsite.api.reading import MalformedError


def test_an_object_becomes_an_event_with_its_number_cleaned() -> None:
    event = EVENTS.read(b'{"event":"call","number":"0086 138-0000","callee":"+86 139"}')
    assert isinstance(event, Event)
    assert (event.number, event.callee) == ("+861380000", "+86139")


def test_a_callee_that_is_no_number_stays_as_it_is() -> None:
    event = EVENTS.read(b'{"event":"call","callee":"sip:bob@example.com"}')
    assert isinstance(event, Event)
    assert event.callee == "sip:bob@example.com"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "JSON"),
        (b"   ", "JSON"),
        (b"null", "object"),
        (b'"call"', "object"),
        (b"12", "object"),
        (b"{", "JSON"),
        (b"{}", "event: Field required"),
        (b'{"event":"dance"}', "event"),
        (b'{"event":"call","number":"12"} x', "trailing"),
        (b'{"event":"call","colour":"red"}', "colour"),
        (b'{"event":"call","number":12}', "number"),
        (b'{"event":"call","number":""}', "number"),
        (b'{"event":"call","number":"12a"}', "number: not a number"),
        ('{"event":"call","number":"١٣٨"}'.encode(), "number: not a number"),
        (b'{"event":"call","number":"' + b"1" * 33 + b'"}', "over 32 digits"),
        (b'{"event":"call","call_id":"a\\u0000b"}', "call_id"),
        (b'{"event":"call","call_id":"\x00"}', "JSON"),
        (b'{"event":"call","call_id":"' + b"x" * 129 + b'"}', "call_id"),
        (b'{"event":"call","call_id":"\xff\xfe"}', "JSON"),
        (b'{"event":"call","call_id":"\\ud800"}', "JSON"),
        (b'{"event":"call","agent":"' + b"a" * 65 + b'"}', "agent"),
        (b'{"event":"reg","number":"101","expires":-1}', "expires"),
        (b'{"event":"reg","number":"101","expires":NaN}', "expires"),
        (b'{"event":"reg","number":"101","expires":Infinity}', "expires"),
        (b'{"event":"reg","number":"101","expires":1e3}', "expires"),
        (b'{"event":"reg","number":"101","expires":"60"}', "expires"),
        (b'{"event":"reg","number":"101","expires":' + b"9" * 5000 + b"}", "out of range"),
        (b'{"event":"call","wait_ms":60001}', "wait_ms"),
        (b'{"event":"call","force":1}', "force"),
        (b'{"event":"add","number":"101","event":"del"}', "twice"),
        (b'{"event":"add","number":"101","\\u0065vent":"del"}', "twice"),
        (b'{"event":"add","event":"del"}', "twice"),
        (b"[]", "1 to 1000"),
        (b'[{"event":"call"}', "JSON"),
        (b"[" + b'{"event":"call"},' * 1000 + b'{"event":"call"}]', "1 to 1000"),
    ],
)
def test_what_cannot_be_taken_is_refused_as_a_whole_and_says_why(body: bytes, told: str) -> None:
    with pytest.raises(MalformedError, match=told):
        EVENTS.read(body)


def test_a_bad_item_of_a_batch_is_refused_by_itself() -> None:
    items = EVENTS.read(
        b'[{"event":"add","number":"101"},{"event":"dance"},7,'
        b'{"event":"add","number":"101","number":"102"},{"event":"call","agent":"a:b"}]'
    )
    assert isinstance(items, list)
    assert [type(item) for item in items] == [
        Event,
        MalformedError,
        MalformedError,
        MalformedError,
        Event,
    ]
    assert "twice" in str(items[3])


def test_a_colon_in_a_value_hides_no_duplicate_and_makes_none() -> None:
    event = EVENTS.read(b'{"event":"call","agent":"a:b:c"}')
    assert isinstance(event, Event)
    with pytest.raises(MalformedError, match="twice"):
        EVENTS.read(b'{"event":"call","agent":"a:b","agent":"c"}')


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    try:
        result = EVENTS.read(body)
    except MalformedError:
        return
    assert isinstance(result, Event | list)


KEYS = st.sampled_from([*Event.model_fields, "id", "", "événement"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)


@given(st.lists(st.dictionaries(KEYS, VALUES, max_size=6), min_size=1, max_size=5))
def test_each_item_of_any_batch_gets_its_own_verdict(items: list[dict[str, object]]) -> None:
    try:
        body = json.dumps(items).encode()
        verdicts = EVENTS.read(body)
    except MalformedError:
        assert any(text in body for text in (b"NaN", b"Infinity"))
        return
    assert isinstance(verdicts, list)
    assert len(verdicts) == len(items)
    for item, verdict in zip(items, verdicts, strict=True):
        try:
            alone = EVENTS.read(json.dumps(item).encode())
        except MalformedError:
            assert isinstance(verdict, MalformedError)
        else:
            assert verdict == alone
