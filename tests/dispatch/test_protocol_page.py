"""docs/reference/dispatch/protocol.md tells the truth: its conversation is replayed between two web
processes, in both encodings."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.dispatch.raw import JSON, MSGPACK, RawPeer, raw
from tests.dispatch.stage import Stage
from tests.live.servers import ROOT, WebServer

NAME = re.compile(r"(?<=:)([A-Z]{3,})(?=[,}])")


def _lines() -> Iterator[tuple[str, str, str]]:
    page = (ROOT / "docs/reference/dispatch/protocol.md").read_text()
    block = page.split("```frames\n")[1].split("```")[0]
    for line in block.splitlines():
        yield line[0], line[1], line[3:]


def _filled(text: str, values: dict[str, Any]) -> dict[str, Any]:
    frame = json.loads(NAME.sub(r'"=\1"', text))
    return {
        field: values.get(value[1:], value)
        if isinstance(value, str) and value[:1] == "="
        else value
        for field, value in frame.items()
    }


def _check(wanted: dict[str, Any], got: dict[str, Any], values: dict[str, Any]) -> None:
    assert wanted.keys() == got.keys(), got
    for field, value in wanted.items():
        if isinstance(value, str) and value[:1] == "=":
            values[value[1:]] = got[field]
        else:
            assert got[field] == value, got


async def _acknowledged(peer: RawPeer, seq: int) -> None:
    while (frame := await peer.hear(acks=True)) != {"op": "ack", "seq": seq}:
        assert frame["op"] == "ack"
        assert frame["seq"] < seq


@pytest.mark.parametrize("protocol", [JSON, MSGPACK])
async def test_the_pages_conversation_happens_as_written(
    stage: Stage, web: WebServer, other_web: WebServer, protocol: str
) -> None:
    with stage.group(f"east-{protocol.rpartition('.')[2]}") as slug:
        values = await _replay(stage, web, other_web, slug, protocol)
    assert "OFFER" in values


async def _replay(
    stage: Stage, web: WebServer, other_web: WebServer, slug: str, protocol: str
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    token = stage.token()
    async with (
        raw(web, slug, "front", token, protocol=protocol) as front,
        raw(other_web, slug, "back", token, protocol=protocol) as back,
    ):
        peers: dict[str, RawPeer] = {"F": front, "B": back}
        for who, mark, text in _lines():
            if mark == "!":
                code, _, reason = text.partition(" ")
                assert await peers[who].closed() == (int(code), reason)
                continue
            frame = _filled(text.replace('"group":"east"', f'"group":"{slug}"'), values)
            if mark == ">":
                await peers[who].tell(**frame)
            elif frame["op"] == "ack":
                await _acknowledged(peers[who], frame["seq"])
            else:
                _check(frame, await peers[who].hear(), values)
    return values
