"""The Event Socket's framing, without a network: every split, and all malformed input."""

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from integrations.freeswitch.esl import (
    BODY_LIMIT_BYTES,
    HEADERS_LIMIT_BYTES,
    Frame,
    Framer,
    ProtocolError,
    event_of,
)
from tests.integrations.event_socket import PIECES

CONVERSATION = b"".join(PIECES.values())


def framed(data: bytes, *cuts: int) -> list[Frame]:
    framer = Framer()
    edges = [0, *sorted(cuts), len(data)]
    frames = [frame for start, end in pairwise(edges) for frame in framer.feed(data[start:end])]
    assert framer.is_between_frames
    return frames


def test_the_kept_conversation_is_read_whole() -> None:
    frames = framed(CONVERSATION)
    assert len(frames) == len(PIECES)
    events = [event for frame in frames if (event := event_of(frame)) is not None]
    names = [event.get("Event-Subclass") or event["Event-Name"] for event in events]
    assert names[:3] == ["sofia::register", "sofia::register", "HEARTBEAT"]
    assert names.count("CHANNEL_HANGUP") == 2
    assert frames[-1].content_type == "text/disconnect-notice"


def test_a_plain_event_says_the_same_as_a_json_one() -> None:
    (plain,), (structured,) = framed(PIECES["register, plain"]), framed(PIECES["register"])
    first, second = event_of(plain), event_of(structured)
    for name in ("from-user", "from-host", "contact", "expires", "user-agent", "call-id"):
        assert first[name] == second[name]


def test_one_byte_at_a_time_gives_the_same_frames() -> None:
    assert framed(CONVERSATION, *range(1, len(CONVERSATION))) == framed(CONVERSATION)


@given(st.lists(st.integers(0, len(CONVERSATION)), max_size=12))
def test_wherever_the_network_splits_it_the_frames_are_the_same(cuts: list[int]) -> None:
    assert framed(CONVERSATION, *cuts) == framed(CONVERSATION)


def test_line_ends_of_both_kinds_are_read() -> None:
    (frame,) = framed(b"Content-Type: api/response\r\nContent-Length: 3\r\n\r\n+OK\r\n")
    assert (frame.content_type, frame.body) == ("api/response", b"+OK")


@pytest.mark.parametrize(
    "data",
    [
        b"Content-Length: -1\n\n",
        b"Content-Length: 1e3\n\n",
        b"Content-Length: \n\n",
        "Content-Length: ١٢\n\n".encode(),
        b"Content-Length: %d\n\n" % (BODY_LIMIT_BYTES + 1),
        b"no header at all\n\n",
        b": no name\n\n",
        b"A: " + b"x" * HEADERS_LIMIT_BYTES + b"\n\n",
        b"x" * (HEADERS_LIMIT_BYTES + 1),
    ],
)
def test_what_is_not_the_protocol_is_refused(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        list(Framer().feed(data))


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"7", b'"x"', b"[" * 100_000, b"\xff"])
def test_an_event_that_is_no_event_is_refused(body: bytes) -> None:
    with pytest.raises(ProtocolError):
        event_of(Frame({"Content-Type": "text/event-json"}, body))


def test_values_that_are_no_text_and_bytes_that_are_no_text_do_no_harm() -> None:
    body = b'{"Event-Name":"CUSTOM","list":["a"],"n":1,"name":"\xff\xc3"}'
    event = event_of(Frame({"Content-Type": "text/event-json"}, body))
    assert event == {"Event-Name": "CUSTOM", "name": "\ufffd\ufffd"}


EVENTS = st.dictionaries(st.text(max_size=20), st.text(max_size=60), max_size=8)


@given(st.lists(EVENTS, max_size=5), st.lists(st.integers(0, 2_000), max_size=8))
def test_any_events_come_out_as_they_went_in(events: list[dict[str, str]], cuts: Any) -> None:
    bodies = [json.dumps(event).encode() for event in events]
    data = b"".join(
        b"Content-Length: %d\nContent-Type: text/event-json\n\n%s" % (len(body), body)
        for body in bodies
    )
    frames = framed(data, *(cut for cut in cuts if cut <= len(data)))
    assert [event_of(frame) for frame in frames] == events


@given(st.lists(st.binary(max_size=300), max_size=6))
def test_any_bytes_give_frames_or_a_protocol_error(chunks: list[bytes]) -> None:
    framer = Framer()
    try:
        for chunk in chunks:
            for frame in framer.feed(chunk):
                event_of(frame)
    except ProtocolError:
        pass


@given(st.integers(0, len(CONVERSATION) - 1), st.binary(min_size=1, max_size=4))
def test_a_conversation_with_damage_gives_frames_or_a_protocol_error(
    at: int, damage: bytes
) -> None:
    try:
        for frame in Framer().feed(CONVERSATION[:at] + damage + CONVERSATION[at + 1 :]):
            event_of(frame)
    except ProtocolError:
        pass
