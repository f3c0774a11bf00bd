"""Frames of peers: what is accepted, what is refused, and that both encodings mean the same."""

from collections.abc import Callable
from typing import Any

import msgpack
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from queueing.dispatch import frames
from queueing.dispatch.frames import JSON, MSGPACK, MalformedFrameError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def _taken_or_refused(parse: Callable[[], dict[str, Any]]) -> None:
    refusal = ""
    try:
        frames.read(parse())
    except MalformedFrameError as error:
        refusal = str(error) or "no word"
    assert refusal != "no word"


def _start(**changes: Any) -> dict[str, Any]:
    return {"op": "start", "seq": 1, "session": "sip-1/7", "body": {"a": [1, None]}} | changes


@given(body=VALUES)
def test_both_encodings_carry_the_same_frame_there_and_back(body: Any) -> None:
    frame = _start(body=body)
    text = frames.read(JSON.parse({"text": orjson.dumps(frame).decode()}))
    packed = frames.read(MSGPACK.parse({"bytes": msgpack.packb(frame)}))
    assert text == packed
    assert isinstance(text, frames.Start)
    out = {"op": "message", "seq": 3, "session": "sip-1/7"}
    as_json = orjson.loads(JSON.message(out, text.body_text)["text"])
    as_binary = msgpack.unpackb(MSGPACK.message(out, text.body_text)["bytes"])
    assert as_json == as_binary == {**out, "body": orjson.loads(orjson.dumps(body))}


@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_refused_with_words(data: bytes) -> None:
    for codec, message in (
        (MSGPACK, {"bytes": data}),
        (JSON, {"text": data.decode("utf-8", errors="replace")}),
    ):
        _taken_or_refused(lambda codec=codec, message=message: codec.parse(message))


@given(
    frame=st.dictionaries(st.sampled_from(["op", "seq", "session", "body", "to", "last"]), VALUES)
)
def test_any_object_is_a_frame_or_refused_with_words(frame: dict[str, Any]) -> None:
    _taken_or_refused(lambda: frame)


@pytest.mark.parametrize(
    "frame",
    [
        {"op": "dance"},
        {"op": 7},
        {},
        _start(seq=0),
        _start(seq="1"),
        _start(seq=1.0),
        _start(seq=True),
        _start(seq=2**53 + 1),
        _start(session="sip-1"),
        _start(session="sip-1/"),
        _start(session="sip-1/7\t8"),
        _start(session="sip-1/7/8"),
        _start(session="１/7"),
        _start(session="sip-1/" + "9" * 40),
        _start(ttl_seconds=0),
        _start(key=""),
        _start(more=1),
        {"op": "end", "seq": 1, "session": "a/1", "reason": "bye\n"},
        {"op": "ack", "seq": -1},
        {"op": "resync", "sessions": [["a/1", "b", None]] * 1001, "last": True},
        {"op": "resync", "sessions": [["a/1", "b"]], "last": True},
        {"op": "resync", "sessions": [["a/1", "b", float("nan")]], "last": True},
        {"op": "resync", "sessions": "a/1", "last": True},
    ],
)
def test_what_is_no_frame_is_refused(frame: dict[str, Any]) -> None:
    with pytest.raises(MalformedFrameError):
        frames.read(frame)


@pytest.mark.parametrize("body", [b"bytes", 2**70, {1: 2}])
def test_a_body_that_json_cannot_say_is_refused(body: Any) -> None:
    frame = frames.read(_start(body=body))
    assert isinstance(frame, frames.Start)
    with pytest.raises(MalformedFrameError):
        assert frame.body_text


def test_a_long_body_is_refused_and_one_at_the_limit_is_taken() -> None:
    longest = "x" * (frames.BODY_LIMIT_BYTES - 2)
    taken = frames.read(_start(body=longest))
    assert isinstance(taken, frames.Start)
    assert len(taken.body_text) == frames.BODY_LIMIT_BYTES
    refused = frames.read(_start(body=longest + "x"))
    assert isinstance(refused, frames.Start)
    with pytest.raises(MalformedFrameError, match="longer"):
        assert refused.body_text


def test_a_thousand_sessions_are_one_resync() -> None:
    sessions = [[f"sip-1/{n}", "", 1_700_000_000.5] for n in range(1000)]
    frame = frames.read({"op": "resync", "sessions": sessions, "last": False})
    assert isinstance(frame, frames.Resync)
    assert len(frame.sessions) == 1000


@pytest.mark.parametrize(
    ("offered", "binary"),
    [
        ([], False),
        (["poolsite.dispatch.v1.json"], False),
        (["chat", "poolsite.dispatch.v1.msgpack", "poolsite.dispatch.v1.json"], True),
    ],
)
def test_the_subprotocol_chooses_the_encoding(offered: list[str], binary: bool) -> None:
    codec = frames.codec_of(offered)
    assert codec is not None
    assert codec.binary is binary


def test_foreign_subprotocols_choose_none() -> None:
    assert frames.codec_of(["chat"]) is None


def test_the_other_kind_of_message_is_refused() -> None:
    with pytest.raises(MalformedFrameError, match="binary"):
        MSGPACK.parse({"text": "{}"})
    with pytest.raises(MalformedFrameError, match="text"):
        JSON.parse({"bytes": b"\x80"})


def test_registrations_of_both_sides_are_told_apart() -> None:
    front = frames.read_front({"op": "register", "profile": "CMPP"})
    assert front.id is None
    back = {"op": "register", "id": "b1", "name": "as-1", "version": "1", "capacity": 10}
    assert frames.read_back(back).weight == 1
    for wrong in (back | {"capacity": 0}, back | {"weight": 33}, back | {"name": "a b"}):
        with pytest.raises(MalformedFrameError):
            frames.read_back(wrong)
    with pytest.raises(MalformedFrameError):
        frames.read_front(back)
