"""A simulated switch survives every answer, and sends what a real switch would send."""

import asyncio
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from integrations.simulator.call_log import CallLog
from integrations.simulator.client import (
    EVENTS_PER_REQUEST,
    PoolClient,
    UnreachableError,
    until_answered,
)
from integrations.simulator.config import Mishaps, PoolConfig, SwitchConfig, load_config
from integrations.simulator.switch import SimulatedSwitch
from tests.support.waiting import eventually

NOW = 1_700_000_000_000_000
Answer = Callable[[str, Any], httpx.Response]


def ok(**fields: object) -> httpx.Response:
    return httpx.Response(200, json={"outcome": "ok", "as_of": NOW, **fields})


def client_of(answer: Answer, seen: list[Any] | None = None) -> PoolClient:
    async def handle(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if seen is not None:
            seen.append((request.url.path, body))
        return answer(request.url.path, body)

    http = httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://pool")
    return PoolClient(http=http, slug="east", token="t")


def switch_of(
    client: PoolClient, log: Path | None = None, *, lines: int = 3, seconds: float = 0.01
) -> SimulatedSwitch:
    names = tuple(f"+86138{index:08d}" for index in range(lines))
    switch = SwitchConfig("fs-01", "t", names)
    return SimulatedSwitch(
        pool=PoolConfig("east", (switch,), 10.0, seconds, ("Wang Fang",), inbound_share=0.0),
        switch=switch,
        client=client,
        log=CallLog(log),
        mishaps=Mishaps(lost_hangup=0, duplicate_event=0, late_hangup=0),
        chance=random.Random(1),
    )


async def test_a_call_is_logged_from_learning_its_number_to_before_telling_its_end(
    tmp_path: Path,
) -> None:
    path = tmp_path / "calls.jsonl"
    logged_at_hangup: list[str] = []

    def answer(_: str, body: Any) -> httpx.Response:
        if body["event"] == "call":
            assert not path.read_text()
            return ok(number="+861")
        logged_at_hangup.extend(json.loads(text)["op"] for text in path.read_text().splitlines())
        return ok()

    switch = switch_of(client_of(answer), path)
    await switch.place_call()
    switch.log.close()
    assert logged_at_hangup == ["begin", "end"]


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_an_open_outcome_is_asked_again_with_the_same_call_id(status, monkeypatch) -> None:
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    seen: list[Any] = []
    replies = iter([httpx.Response(status, text="<html>"), ok(number="+861"), ok()])
    await switch_of(client_of(lambda *_: next(replies), seen)).place_call()
    calls = [body["call_id"] for _, body in seen]
    assert [body["event"] for _, body in seen] == ["call", "call", "hangup"]
    assert len(set(calls)) == 1


async def test_the_pause_that_the_server_names_is_kept(monkeypatch) -> None:
    waited: list[float] = []

    async def note(seconds: float) -> None:
        waited.append(seconds)
        await no_sleep(seconds)

    monkeypatch.setattr(asyncio, "sleep", note)
    limited = httpx.Response(429, headers={"Retry-After": "7"})
    replies = iter([limited, ok(number="+861"), ok()])
    await switch_of(client_of(lambda *_: next(replies))).place_call()
    assert 7 <= max(waited) <= 7.7


REAL_SLEEP = asyncio.sleep


async def no_sleep(_seconds: float) -> None:
    await REAL_SLEEP(0)


async def test_a_call_without_any_answer_is_given_up_after_bounded_tries(monkeypatch) -> None:
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    seen: list[Any] = []
    switch = switch_of(client_of(lambda *_: httpx.Response(504), seen))
    await switch.place_call()
    assert switch.counters.unknown == 1
    assert [body["event"] for _, body in seen] == ["call"] * 8 + ["hangup"] * 8


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, text="not json"),
        httpx.Response(200, json=[1, 2]),
        httpx.Response(200, json={"outcome": "ok", "number": None, "as_of": "soon"}),
        httpx.Response(418, json={"outcome": 7}),
        httpx.Response(404, json=None),
    ],
)
async def test_no_answer_ends_the_switch(response: httpx.Response) -> None:
    seen: list[Any] = []
    switch = switch_of(client_of(lambda *_: response, seen))
    run = asyncio.create_task(switch.run(live_list_seconds=0.01, register_expires_seconds=1))
    await eventually(lambda: len(seen) > 20 or run.done())
    assert not run.done()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_five_thousand_lines_register_in_batches_of_at_most_500(monkeypatch) -> None:
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    seen: list[Any] = []

    def answer(_: str, body: Any) -> httpx.Response:
        return httpx.Response(
            200, json=[{"outcome": "ok", "status": 200, "as_of": NOW}] * len(body)
        )

    await switch_of(client_of(answer, seen), lines=5_000).register()
    assert [len(body) for _, body in seen] == [EVENTS_PER_REQUEST] * 10
    assert len({event["number"] for _, body in seen for event in body}) == 5_000


async def test_a_batch_that_was_refused_as_a_whole_is_no_answer() -> None:
    with pytest.raises(UnreachableError):
        await client_of(lambda *_: httpx.Response(422, json={})).send_batch([{"event": "reg"}])


async def test_the_live_list_names_calls_attempts_unheard_of_and_the_servers_time() -> None:
    seen: list[Any] = []
    switch = switch_of(client_of(lambda *_: ok(), seen))
    switch.calls["a"] = "+861"
    now = time.monotonic()
    switch.pending |= {"old": now - 60, "new": now}
    await switch.client.send({"event": "renew"})
    await switch.send_live_list()
    path, report = seen[-1]
    assert path == "/api/v1/pools/east/live"
    assert report["as_of"] == NOW
    assert report["calls"] == [{"call_id": "a", "number": "+861"}, {"call_id": "old"}]


async def test_calls_that_the_pool_names_are_hung_up() -> None:
    seen: list[Any] = []
    switch = switch_of(client_of(lambda *_: ok(hang_up=["a", "unknown"]), seen))
    switch.calls["a"] = "+861"
    await switch.send_live_list()
    await eventually(lambda: any("event" in body for _, body in seen))
    await eventually(lambda: switch.calls == {})
    assert [body["call_id"] for _, body in seen if "event" in body] == ["a"]


async def test_after_a_refused_list_the_servers_time_is_taken_over() -> None:
    refused = {"outcome": "error", "reason": "malformed as_of", "as_of": NOW - 10}
    switch = switch_of(client_of(lambda *_: httpx.Response(422, json=refused)))
    switch.client.as_of_us = NOW + 3_600_000_000
    await switch.send_live_list()
    assert switch.client.as_of_us == NOW - 10


async def test_a_restart_ends_every_call_and_names_a_new_incarnation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "calls.jsonl"
    switch = switch_of(client_of(lambda *_: ok(number="+861")), path, seconds=60.0)
    switch._start(switch.place_call())
    await eventually(lambda: switch.calls)
    before = switch.incarnation
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    await switch.restart()
    switch.log.close()
    assert switch.incarnation != before
    assert switch.calls == {}
    assert [json.loads(text)["op"] for text in path.read_text().splitlines()] == ["begin", "end"]


async def test_a_waiting_call_waits_no_longer_in_all_when_it_is_sent_again() -> None:
    seen: list[Any] = []
    client = client_of(lambda *_: httpx.Response(504), seen)
    assert await until_answered(client, {"event": "call", "wait_ms": 300}, tries=3) is None
    first, second, third = (body["wait_ms"] for _, body in seen)
    assert 300 >= first > second > third == 0


GOOD = {
    "url": "http://x",
    "pools": [
        {
            "slug": "east",
            "offered_erlangs": 1,
            "mean_call_seconds": 1,
            "agents": ["a"],
            "switches": [{"name": "s", "token": "t", "lines": ["+1"]}],
        }
    ],
}


def test_a_configuration_is_read_and_the_url_may_be_overridden(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps(GOOD))
    assert load_config(path).url == "http://x"
    assert load_config(path, url="http://y").url == "http://y"
    assert load_config(path).pools[0].switches[0].lines == ("+1",)


@pytest.mark.parametrize(
    "change",
    [
        {"offered_erlangs": 0},
        {"mean_call_seconds": -1},
        {"agents": []},
        {"switches": []},
        {"switches": "none"},
        {"switches": [{"name": "s", "token": "t", "lines": []}]},
        {"colour": "red"},
    ],
)
def test_a_wrong_configuration_is_one_sentence(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**GOOD, "pools": [{**GOOD["pools"][0], **change}]}))
    with pytest.raises(ValueError, match="does not describe a simulation"):
        load_config(path)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"pools": 3}'])
def test_what_is_no_configuration_at_all_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="does not describe a simulation"):
        load_config(path)
