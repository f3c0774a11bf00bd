"""The outcome of each frame, and of each session: the library with real web processes."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from integrations.dispatch_client import (
    FrontEnd,
    Instance,
    NotStartedError,
    Outcome,
    RefusedError,
    UnknownOutcomeError,
)
from poolsite import hotpath
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import frames
from queueing.dispatch.links.inbound import Inbound
from tests.dispatch.handlers import Caller, Echo
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support import waiting
from tests.support.proxy import FaultyProxy
from tests.support.waiting import eventually

pytestmark = pytest.mark.processes
ACCEPTED = Outcome("accepted")


@pytest.fixture
def line(web: WebServer) -> Iterator[FaultyProxy]:
    """A connection to the web process that can break."""
    with FaultyProxy(("127.0.0.1", web.port)) as proxy:
        yield proxy


def front_end(
    stage: Stage, group: str, web: WebServer | FaultyProxy, profile: str = "BICC", life: str = ""
) -> tuple[FrontEnd, Caller]:
    heard = Caller()
    settings = stage.settings(group, web)
    peer_id = "" if profile == "HTTP" else "front-1"
    front = FrontEnd(settings, heard, profile=profile, peer_id=peer_id, incarnation=life)
    return front, heard


@asynccontextmanager
async def serving(stage: Stage, group: str, web: WebServer) -> AsyncIterator[Instance]:
    """An instance that sends everything back."""
    echo = Echo()
    echo.instance = Instance(
        stage.settings(group, web), echo, name="as-1", version="1", capacity=1_000
    )
    async with echo.instance as instance:
        await instance.wait_registered()
        yield instance


def heard_by(instance: Instance, session: str) -> list[object]:
    handler = instance._handler
    assert isinstance(handler, Echo)
    return [words[1] for words in handler.of(session) if words[0] == "message"]


def ends(heard: Caller, session: str) -> list[str]:
    """Return the reasons of the session's ends."""
    return [words[1] for words in heard.of(session) if words[0] == "ended"]


async def test_each_frame_has_its_own_outcome(stage: Stage, web: WebServer, patient: str) -> None:
    front, heard = front_end(stage, patient, web)
    async with front, serving(stage, patient, web) as instance:
        started = await front.start("hello")
        assert started.instance == "as-1"
        assert started.session in instance.sessions
        known, unknown = started.session, "front-1/nobody"
        order = [known, unknown, unknown, known, unknown, known]
        sent = [await front.send(session, n) for n, session in enumerate(order)]
        gone = Outcome("refused", "no such session")
        outcomes = [await each for each in sent]
        assert outcomes == [ACCEPTED if session == known else gone for session in order]
        assert [each.session for each in sent] == order
        await eventually(lambda: heard_by(instance, known) == [0, 3, 5])
        assert await (await front.deliver("x")) == ACCEPTED
        assert await (await instance.deliver("x", "front-9")) == Outcome("refused", "no such peer")
        begun = await front.begin("hi", confirm=True)
        assert await begun == Outcome("accepted", "", "as-1")
        assert await (await front.end(begun.session)) == ACCEPTED
        assert ends(heard, begun.session) == []  # ended by this end


async def test_a_start_that_is_refused_says_why_and_never_was_a_session(
    stage: Stage, web: WebServer, patient: str
) -> None:
    front, heard = front_end(stage, patient, web)
    async with front:
        with pytest.raises(NotStartedError) as refused:
            await front.start()
        assert refused.value.reason == "none open"
        assert len(front.sessions) == 0
        await eventually(lambda: heard.all)
        assert heard.of(refused.value.session) == [("refused", "start", "none open")]
        async with serving(stage, patient, web):
            word = refused.value.session.partition("/")[2]
            assert (await front.start(number=word)).instance == "as-1"
            with pytest.raises(ValueError, match="there already"):
                await front.start(number=word)
    assert ends(heard, refused.value.session) == ["stopped"]


async def test_answers_that_were_lost_with_a_link_are_known_after_the_next(
    stage: Stage, web: WebServer, patient: str, line: FaultyProxy
) -> None:
    front, _ = front_end(stage, patient, line)
    async with front, serving(stage, patient, web) as instance:
        session = (await front.start()).session
        line.set("drop-reply")
        late = [await front.send(session, "good"), await front.send("front-1/none", "bad")]
        starting = asyncio.create_task(front.start("more"))
        await eventually(lambda: len(instance.sessions) == 2)
        assert all(each.outcome is None for each in late)
        assert not starting.done()
        line.set("pass")
        line.cut_all()
        assert [await each for each in late] == [ACCEPTED, Outcome("refused", "no such session")]
        assert (await starting).instance == "as-1"
        assert heard_by(instance, session) == ["good"]
        assert front._outgoing._open == {}
        assert front._outgoing._starts == {}


async def test_flapping_links_leave_no_outcome_open_and_none_wrong(
    stage: Stage, web: WebServer, patient: str
) -> None:
    front, _ = front_end(stage, patient, web)
    async with front, serving(stage, patient, web) as instance:
        session = (await front.start()).session
        sent = []
        for n in range(60):
            sent.append(await front.send(session, n))
            if n % 20 == 10:
                links = front.links, instance.links
                (front if n < 40 else instance).cut()
                await eventually(lambda links=links: (front.links, instance.links) != links)
        outcomes = [await each for each in sent]
        accepted = [n for n, outcome in enumerate(outcomes) if outcome.accepted]
        await eventually(lambda: heard_by(instance, session) == accepted)
        assert {each.reason for each in outcomes if not each.accepted} <= {"peer pending"}


async def test_where_each_connection_is_new_a_lost_link_leaves_it_unknown(
    stage: Stage, web: WebServer, patient: str, line: FaultyProxy
) -> None:
    front, heard = front_end(stage, patient, line, profile="HTTP")
    async with front, serving(stage, patient, web) as instance:
        old = (await front.start("GET /")).session
        line.set("drop-reply")
        sent = await front.send(old, "more")
        starting = asyncio.create_task(front.start("GET /2"))
        await eventually(lambda: len(instance.sessions) == 2)
        line.set("pass")
        line.cut_all()
        assert await sent == Outcome("unknown", "link lost")
        with pytest.raises(UnknownOutcomeError):
            await starting
        await eventually(lambda: ends(heard, old))
        assert (await front.start("GET /3")).instance == "as-1"
        for sent in (await front.send(old, "late"), await front.end(old)):
            assert await sent == Outcome("refused", "no such session")
        assert ends(heard, old) == ["the dispatcher knows it no more"]
        assert front.failure is None


async def test_a_frame_that_was_not_answered_is_unknown_when_the_peer_stops(
    stage: Stage, web: WebServer, patient: str
) -> None:
    front, _ = front_end(stage, patient, web)
    begun = await front.begin()  # no link ever existed
    await front.abort()
    assert await begun == Outcome("unknown", "stopped")


async def test_a_session_that_nobody_knows_ends_once(
    stage: Stage, web: WebServer, patient: str
) -> None:
    front, heard = front_end(stage, patient, web)
    async with front, serving(stage, patient, web) as instance:
        gone = "front-1/gone"
        front.sessions.add(gone)  # as after a loss without a notice
        instance.sessions.add(gone, "front-1")
        for end in (front, instance):
            for _ in range(2):
                assert (await (await end.send(gone))).reason == "no such session"
        await eventually(lambda: ends(heard, gone))
    handler = instance._handler
    assert isinstance(handler, Echo)
    for each in (heard, handler):
        told = [words for words in each.of(gone) if words[0] == "ended"]
        assert told == [("ended", "no such session")]


async def test_a_session_whose_instance_is_lost_ends_once_after_peer_pending(
    stage: Stage, web: WebServer, quick: str
) -> None:
    front, heard = front_end(stage, quick, web)
    async with front:
        async with serving(stage, quick, web) as instance:
            session = (await front.start()).session
            await instance.abort()
        pending = Outcome("refused", "peer pending")
        await asyncio.to_thread(stage.wait_state, quick, f"b:{instance.id}", "pending")
        assert await (await front.send(session)) == pending
        await eventually(lambda: ends(heard, session), 60)
        assert (await (await front.send(session))).reason == "no such session"
        assert ends(heard, session) == ["instance lost"]
        assert session not in front.sessions


async def test_a_link_that_was_replaced_ends_its_sessions_here_and_not_there(
    stage: Stage, web: WebServer, patient: str
) -> None:
    first, heard = front_end(stage, patient, web, life="one")
    second, other = front_end(stage, patient, web, life="one")
    async with first, serving(stage, patient, web) as instance:
        session = (await first.start()).session
        async with second:
            await second.wait_registered()
            await eventually(lambda: ends(heard, session))
            assert ends(heard, session) == ["4410 replaced"]
            with pytest.raises(RefusedError, match="4410 replaced"):
                await first.send(session)
            assert session in instance.sessions
            assert await (await second.send(session, "on")) == ACCEPTED
    assert ends(heard, session) == ["4410 replaced"]
    assert ends(other, session) == []


async def test_a_start_that_is_cancelled_leaves_no_session(
    stage: Stage, web: WebServer, patient: str, line: FaultyProxy
) -> None:
    front, _ = front_end(stage, patient, line)
    async with front, serving(stage, patient, web) as instance:
        await front.wait_registered()
        line.set("drop-reply")
        starting = asyncio.create_task(front.start())
        await eventually(lambda: len(instance.sessions) == 1)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        await eventually(lambda: len(instance.sessions) == 0)
        assert len(front.sessions) == 0
        line.set("pass")
        line.cut_all()
        assert await front.flush(waiting.patient(20))


async def test_a_refusal_is_told_though_redis_did_not_answer_the_first_time(
    stage: Stage, patient: str
) -> None:
    peer, link = "f:front-1", "0123456789abcdef"
    with stage.hotpath():
        await hotpath.arun(
            commands.register_front(patient, "front-1", "BICC", "one", link, "fedcba9876543210", 0)
        )
        await hotpath.arun(commands.message(patient, peer, link, 1, "front-1/none"))
        await hotpath.arun(commands.clear(patient, peer, link, 2))
        inbound = Inbound(patient, peer, link, 0)  # which knows of neither
        nobody = frames.SessionMessage(op="message", seq=1, session="front-1/none")
        clear = frames.Clear(op="clear", seq=2)
        await inbound.counted([nobody, clear, nobody.model_copy(update={"seq": 3})])
    assert inbound.refusals() == {"refused": [1, 3]}
    assert inbound.refusals() == {}
    assert inbound.done == 3
