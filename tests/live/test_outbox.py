"""What a socket still has to be sent, and which sockets count as behind, without a server."""

import asyncio
from typing import Any, cast

import orjson
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from poolsite.live import frames
from poolsite.live.feed import BEAT_SECONDS, next_beat
from poolsite.live.hub import LiveHub
from poolsite.live.outbox import (
    ACK_SECONDS,
    ACKS_PER_SECOND,
    ASKS_AT_ONCE_SECONDS,
    BEHIND_CODE,
    BEHIND_SECONDS,
    SOCKETS_PER_STEP,
    Outbox,
    Subscription,
)
from tests.live.sample_topics import NoteTopic
from tests.support.waiting import eventually, patient

LATER = BEHIND_SECONDS + 1.0


class Source:
    """The part of a feed that a subscription reads: the present state."""

    def __init__(self) -> None:
        self.topic = NoteTopic("x")
        self.is_stale = False
        self.version = 0

    def snapshot_frame(self) -> tuple[int, frames.Frame]:
        address = self.topic.address
        return self.version, frames.snapshot(address, self.version, {"at": self.version})

    def change(self) -> frames.Frame:
        """Return the next change of the topic."""
        self.version += 1
        base, address = self.version - 1, self.topic.address
        data = {"at": self.version}
        return frames.change(address, base, self.version, data, mark=self.version)


class Peer:
    """A socket of a server: it accepts frames unless a test stops it."""

    def __init__(self, hub: LiveHub) -> None:
        self.outbox = Outbox(hub.flusher)
        self.source = Source()
        self.line = Subscription(self.outbox, cast(Any, self.source))
        self.got: list[dict[str, Any]] = []
        self.takes = asyncio.Event()
        self.takes.set()

    def push(self, count: int = 1) -> None:
        for _ in range(count):
            self.line.push(self.source.change())

    async def send(self, message: dict[str, Any]) -> None:
        await self.takes.wait()
        self.got.append(orjson.loads(message["text"]))

    async def follow(self) -> "asyncio.Task[None]":
        """Start to send, with the snapshot first."""
        self.line.reset(*self.source.snapshot_frame())
        task = asyncio.create_task(self.outbox.run(self.send))
        await self.until(1)
        return task

    async def until(self, count: int) -> None:
        """Wait until `count` frames were accepted."""
        await eventually(lambda: len(self.got) >= count)

    def is_behind(self) -> bool:
        """Return whether the socket would be behind, some time from now."""
        return self.outbox.is_behind(asyncio.get_running_loop().time() + LATER)  # waits: no


async def test_who_waits_for_a_busy_process_is_not_behind_and_gets_the_present_state() -> None:
    peer = Peer(LiveHub())
    peer.line.reset(*peer.source.snapshot_frame())
    peer.push(NoteTopic.waiting_frames + 3)
    assert not peer.is_behind()  # nothing was sent yet, however long that takes
    task = asyncio.create_task(peer.outbox.run(peer.send))
    await peer.until(1)
    assert [frame["op"] for frame in peer.got] == ["snapshot"]
    assert peer.got[0]["data"] == {"at": NoteTopic.waiting_frames + 3}
    task.cancel()


async def test_who_takes_nothing_is_behind_and_a_slow_one_gets_the_newest_state() -> None:
    peer = Peer(LiveHub())
    task = await peer.follow()
    peer.takes.clear()
    peer.push()
    await eventually(peer.is_behind)  # it is on its way
    peer.push(50)
    peer.takes.set()
    await peer.until(3)
    assert [frame["op"] for frame in peer.got] == ["snapshot", "change", "snapshot"]
    assert peer.got[-1]["data"] == {"at": 51}
    peer.outbox.acknowledge(peer.got[1]["ack"])
    assert not peer.is_behind()
    task.cancel()


async def test_who_leaves_an_ack_unanswered_is_behind() -> None:
    peer = Peer(LiveHub())
    task = await peer.follow()
    assert not peer.is_behind()
    peer.push()
    await peer.until(2)
    assert peer.is_behind()
    assert not peer.outbox.acknowledge(peer.got[1]["ack"] - 1)
    assert peer.is_behind()
    assert peer.outbox.acknowledge(peer.got[1]["ack"])
    assert not peer.is_behind()
    assert not peer.outbox.acknowledge(peer.got[1]["ack"])
    task.cancel()


async def test_each_socket_is_asked_for_itself_and_not_with_every_frame() -> None:
    hub = LiveHub()
    hub.flusher.ack_seconds = 3_600.0
    early, late = Peer(hub), Peer(hub)
    late.source = early.source
    tasks = [await early.follow()]
    for number in range(3):
        early.push()
        await early.until(2 + number)
    tasks.append(await late.follow())
    change = early.source.change()
    for peer in (early, late):
        peer.line.push(change)
    await early.until(5)
    await late.until(2)
    assert ["ack" in frame for frame in early.got] == [False, True, False, False, False]
    assert late.got[1].pop("ack") > early.got[1]["ack"]
    assert late.got[1] == early.got[4]
    for task in tasks:
        task.cancel()


async def test_a_topic_waits_with_the_next_read_until_the_sockets_were_sent_the_last() -> None:
    flusher = LiveHub().flusher
    await flusher.calm()
    peers = [Outbox(flusher) for _ in range(3 * SOCKETS_PER_STEP)]
    for number, outbox in enumerate(peers):
        flusher.add(outbox)
        if number < SOCKETS_PER_STEP:
            await flusher.calm()  # too few to wait for
    waiting = asyncio.create_task(flusher.calm())
    await asyncio.sleep(0)
    assert not waiting.done()
    async with asyncio.timeout(patient(10)):
        await waiting


@pytest.mark.parametrize(
    ("sockets", "seconds"),
    [(1, ACK_SECONDS[0]), (2 * ACKS_PER_SECOND, 2.0), (9 * ACKS_PER_SECOND, ACK_SECONDS[1])],
)
async def test_many_sockets_are_asked_more_seldom(sockets: int, seconds: float) -> None:
    hub = LiveHub()
    hub.outboxes = {Outbox(hub.flusher) for _ in range(sockets - 1)}
    async with hub.socket("user:1", Outbox(hub.flusher)):
        assert hub.flusher.ack_seconds == seconds
    await hub.aclose()


async def test_thousands_of_sockets_are_not_asked_in_the_same_moment() -> None:
    """A socket that had to wait is asked with a later frame, within the shared rate."""
    flusher = LiveHub().flusher
    sockets = 20 * ACKS_PER_SECOND
    flusher.pace_acks(sockets)
    now = asyncio.get_running_loop().time()
    per_second = sockets / ACK_SECONDS[1]
    at_once = sum(flusher.may_ask(now) for _ in range(sockets))
    assert at_once <= per_second * ASKS_AT_ONCE_SECONDS < sockets / 4
    assert not flusher.may_ask(now)
    for wait, seconds in ((0.2, 0.2), (0.4, 0.2), (0.8, 0.4), (9.0, ASKS_AT_ONCE_SECONDS)):
        asked = sum(flusher.may_ask(now + wait) for _ in range(sockets))
        assert asked == pytest.approx(seconds * per_second, rel=0.01)


class Suspect(Outbox):
    """Behind for the first `looks` checks."""

    def __init__(self, hub: LiveHub, looks: int) -> None:
        super().__init__(hub.flusher)
        self.looks = looks

    def is_behind(self, now: float) -> bool:
        self.looks -= 1
        return self.looks >= 0


async def test_who_has_answered_by_the_second_look_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("poolsite.live.hub.SWEEP_SECONDS", 0.01)
    monkeypatch.setattr("poolsite.live.hub.LATE_SECONDS", 10.0)
    hub = LiveHub()
    busy, deaf = Suspect(hub, looks=1), Suspect(hub, looks=2)
    async with hub.socket("user:1", busy), hub.socket("user:2", deaf):
        await eventually(lambda: deaf.close_code)
        assert deaf.close_code == BEHIND_CODE
        assert not busy.close_code
    await hub.aclose()


@given(
    started=st.floats(100, 1_000),
    late=st.floats(0, 5),
    period=st.sampled_from([0.2, 0.6, 1.0]),
)
def test_topics_read_at_common_beats_and_a_late_read_puts_off_none(
    started: float, late: float, period: float
) -> None:
    assume(abs(late - period / 2) > 1e-6)  # at this point, rounding may go either way
    after_pause = next_beat(started, float("-inf"), period)
    assert after_pause / BEAT_SECONDS == pytest.approx(round(after_pause / BEAT_SECONDS))
    assert 0.8 * period - 1e-6 <= after_pause - started <= period + 1e-6 + 0.2
    later = next_beat(after_pause + late, after_pause, period)
    if late < period / 2:
        assert later == pytest.approx(after_pause + period)
    else:
        assert later - (after_pause + late) >= 0.8 * period - 1e-6
