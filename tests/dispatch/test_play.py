"""The simulator's play of a group: its front-ends count what they lost, and nothing else."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx
import pytest

from integrations.simulator.dispatch import fronts
from integrations.simulator.dispatch.__main__ import Play
from integrations.simulator.dispatch.caller import Caller
from integrations.simulator.dispatch.config import GroupConfig, Mishaps
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support import waiting

pytestmark = pytest.mark.prove

SESSIONS = 40


@asynccontextmanager
async def play(
    stage: Stage, web: WebServer, group: str, mishaps: Mishaps, *, session_seconds: float = 1.0
) -> AsyncIterator[Play]:
    """Two front-ends over two instances, under load until the block ends."""
    url = f"http://127.0.0.1:{web.port}"
    config = GroupConfig(
        slug=group,
        token=stage.token(),
        fronts=(("sip-1", "SIP"), ("bicc-1", "BICC")),
        instances=("as-1", "as-2"),
        version="1.0",
        capacity=200,
        session_seconds=session_seconds,
        sessions_per_second=8.0,
    )
    headers = {"Authorization": f"Bearer {config.token}"}
    async with httpx.AsyncClient(
        base_url=url, headers=headers, timeout=waiting.patient(20)
    ) as http:
        made = Play(config, url, http, mishaps, seed=3)
        stop = asyncio.Event()
        running = asyncio.create_task(made.run(stop))
        try:
            yield made
        finally:
            stop.set()
            await running


async def wait(condition: Callable[[], bool]) -> None:
    """Poll until the condition is true: the program's counts send no notice."""
    await waiting.eventually(condition, 90)


def ended(made: Play) -> int:
    return sum(front.tally.ended for front in made.fronts)


def lost(made: Play) -> int:
    return sum(front.tally.lost.total() for front in made.fronts)


async def test_links_that_flap_lose_no_session(stage: Stage, web: WebServer, patient: str) -> None:
    async with play(stage, web, patient, Mishaps(flap_every_seconds=1.0)) as made:
        await wait(lambda: ended(made) >= SESSIONS)
        assert lost(made) == 0
        assert {each.served > 0 for each in made.instances.values()} == {True}


async def test_a_dead_instance_costs_its_own_sessions_and_they_are_counted(
    stage: Stage, web: WebServer, quick: str
) -> None:
    quiet = Mishaps(flap_every_seconds=0.0)
    async with play(stage, web, quick, quiet, session_seconds=30.0) as made:
        dying, living = made.instances["as-1"], made.instances["as-2"]
        await wait(lambda: min(dying.sessions, living.sessions) >= 5)
        kept, doomed = living.sessions, dying.sessions
        await dying.die()
        await wait(lambda: lost(made) >= doomed)
        reasons = {reason for front in made.fronts for reason in front.tally.lost}
        assert reasons == {"instance lost"}
        assert living.sessions >= kept  # new ones went there


async def test_an_instance_comes_back_with_its_last_version(
    stage: Stage, web: WebServer, patient: str
) -> None:
    quiet = Mishaps(flap_every_seconds=0.0)
    async with play(stage, web, patient, quiet) as made:
        await wait(lambda: ended(made) >= 3)
        assert await made.supervisor.versions() in ({}, {"as-1": "1.0", "as-2": "1.0"})
        await made.instances["as-1"].stop()
        await made.instances["as-1"].start("1.1")
        await wait(lambda: made.instances["as-1"].sessions > 0)
        row = stage.peers(patient)
        assert "1.1" in {each.version for each in row.values()}


async def test_a_pool_that_takes_its_time_costs_no_session(
    stage: Stage, web: WebServer, patient: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_seconds = waiting.patient(1.5)
    monkeypatch.setattr(fronts, "ANSWER_SECONDS", answer_seconds)
    monkeypatch.setattr(fronts, "ASK_SECONDS", answer_seconds / 2)

    async def answer(request: httpx.Request) -> httpx.Response:
        if json.loads(request.content)["event"] == "call":
            # Longer than a front-end waits for a hangup before it sends a query.
            await asyncio.sleep(2 * answer_seconds + 2)  # waits: that is the pool's slowness
        return httpx.Response(200, json={"outcome": "ok", "number": "+8613800130000"})

    transport = httpx.MockTransport(answer)
    async with (
        httpx.AsyncClient(base_url="http://pool", transport=transport) as http,
        play(stage, web, patient, Mishaps(flap_every_seconds=0.0)) as made,
    ):
        for instance in made.instances.values():
            instance._caller = Caller(http, "slow", "asi", "token")
        await wait(lambda: any(call.ends == "instance" for call in _answered(made)))
        slow = {key for key, call in _calls(made).items() if call.ends == "instance"}
        await wait(lambda: not slow & _calls(made).keys())
        assert lost(made) == 0


async def test_a_session_that_its_instance_has_forgotten_is_counted_as_lost(
    stage: Stage, web: WebServer, patient: str
) -> None:
    quiet = Mishaps(flap_every_seconds=0.0)
    async with play(stage, web, patient, quiet, session_seconds=6.0) as made:
        await wait(lambda: len(_answered(made)) >= 4)
        forgotten = list(made.instances["as-1"]._link.sessions)
        for session in forgotten:
            made.instances["as-1"]._link.sessions.remove(session)
        await wait(lambda: not set(forgotten) & _calls(made).keys())
        assert lost(made) > 0
        reasons = {reason for front in made.fronts for reason in front.tally.lost}
        assert reasons == {"unknown to its instance"}


def _calls(made: Play) -> dict[str, fronts.Call]:
    return {key: call for front in made.fronts for key, call in front.calls.items()}


def _answered(made: Play) -> list[fronts.Call]:
    return [call for call in _calls(made).values() if call.answered.is_set()]
