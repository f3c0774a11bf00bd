"""docs/reference/dispatch/protocol.md is correct: its examples are replayed between two web
processes, in both encodings.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.links import closes
from tests.dispatch.raw import JSON, MSGPACK, RawPeer, raw
from tests.dispatch.stage import Stage
from tests.live.servers import ROOT, WebServer

PAGE = (ROOT / "docs/reference/dispatch/protocol.md").read_text()
NAME = re.compile(r"(?<=[:,])([A-Z]{3,})(?=[,}])")


# The reasons for malformed frames: what is wrong, in texts that the page does not list.
FRAMES = {"deliver: an instance names the front-end"}


EXAMPLES = re.findall(r"^```frames\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def _lines(example: str) -> Iterator[tuple[str, str, str]]:
    for line in example.splitlines():
        yield line[0], line[1], line[3:]


def _filled(text: str, values: dict[str, Any]) -> dict[str, Any]:
    """Return the frame with the values that are known by now; those of a list are known."""
    known = NAME.sub(lambda name: json.dumps(values.get(name[1], f"={name[1]}")), text)
    frame: dict[str, Any] = json.loads(known)
    return frame


def _check(wanted: dict[str, Any], got: dict[str, Any], values: dict[str, Any]) -> None:
    assert wanted.keys() == got.keys(), got
    for field, value in wanted.items():
        if isinstance(value, str) and value[:1] == "=":
            values[value[1:]] = got[field]
        else:
            assert got[field] == value, got


SAID = (
    *(*reasons.REFUSALS, *reasons.ENDS, reasons.TAKEN, reasons.TOO_MANY_PEERS),
    *(reasons.TOO_MANY_NAMES, reasons.REPLACED, reasons.GAP, reasons.BEHIND),
    *(reasons.DISCONNECTED, reasons.NO_SUCH_GROUP, "destroyed"),
)


@pytest.mark.parametrize("reason", SAID)
def test_the_page_names_every_reason(reason: str) -> None:
    assert f"`{reason}`" in PAGE


def test_the_page_names_every_close_of_the_servers_code() -> None:
    """The codes and texts with which sockets are closed; a `…` replaces any added detail."""
    folder = ROOT / "queueing/dispatch"
    files = [*(folder / "links").glob("*.py"), folder / "consumers.py", folder / "links/hub.py"]
    code = "".join(path.read_text() for path in files)
    words = set(re.findall(r'Close\([\w.]+, "([^"{]+)"\)', code))
    assert {"no answer from Redis", "register again", "too many heartbeats"} <= words
    assert sorted(word for word in words - FRAMES if f"`{word}`" not in PAGE) == []
    codes = {str(each) for each in vars(closes).values() if isinstance(each, int)}
    known = set(re.findall(r"\b(?:1\d{3}|4\d{3})\b", PAGE.split("## Close codes")[1]))
    assert codes - {str(closes.NO_STATUS), str(closes.ABNORMAL)} <= known


def test_every_example_of_a_frame_is_in_a_conversation_that_is_replayed() -> None:
    elsewhere = re.sub(r"^```frames\n.*?^```$", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert '"op"' not in elsewhere
    lines = [line for example in EXAMPLES for line in _lines(example)]
    frames = [json.loads(NAME.sub('"x"', text)) for _, mark, text in lines if mark != "!"]
    assert {"start", "started", "message", "end", "deliver"} <= {frame["op"] for frame in frames}
    assert any(frame.get("confirm") for frame in frames)


@pytest.mark.parametrize("protocol", [JSON, MSGPACK])
async def test_the_pages_conversations_happen_as_written(
    stage: Stage, web: WebServer, other_web: WebServer, protocol: str
) -> None:
    for place, example in enumerate(EXAMPLES):
        with stage.group(f"east-{place}-{protocol.rpartition('.')[2]}") as slug:
            values = await _replay(example, stage, web, other_web, slug, protocol)
        assert "OFFER" in values


async def _replay(
    example: str, stage: Stage, web: WebServer, other_web: WebServer, slug: str, protocol: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    token = stage.token()
    async with (
        raw(web, slug, "front", token, protocol=protocol) as front,
        raw(other_web, slug, "back", token, protocol=protocol) as back,
    ):
        peers: dict[str, RawPeer] = {"F": front, "B": back}
        for who, mark, text in _lines(example):
            if mark == "!":
                code, _, reason = text.partition(" ")
                assert await peers[who].closed() == (int(code), reason)
                continue
            frame = _filled(text.replace('"group":"east"', f'"group":"{slug}"'), values)
            if mark == ">":
                await peers[who].tell(**frame)
            elif frame["op"] == "ack":
                await peers[who].acknowledged(frame)
            else:
                _check(frame, await peers[who].hear(), values)
    return values
