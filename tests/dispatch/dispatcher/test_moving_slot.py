"""A group's slot moves between nodes of a Cluster while its peers talk."""

import asyncio
import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from poolsite import hotpath
from queueing.dispatch import dispatcher, frames
from queueing.dispatch.dispatcher import reasons
from queueing.dispatch.links.inbound import Inbound
from tests.dispatch.dispatcher.group_support import KEYS, SLUG, GroupUnderTest, Peer
from tests.support.cluster import RedisCluster

MESSAGES, TURNS = 12, 4


@pytest.fixture
def group(redis_cluster: RedisCluster) -> Iterator[GroupUnderTest]:
    with hotpath.connect(redis_cluster.url) as path:
        made = GroupUnderTest(path, path.client())
        yield made.create(out_limit=10_000)


class Talker:
    """A peer of the load: what it began and what it received, as its socket would do it."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.heard: list[dispatcher.OutboxEntry] = []
        self.began: list[str] = []
        self._inbound = Inbound(SLUG, peer.key, peer.link, 0)
        self._seq = itertools.count(1)

    async def call(self) -> None:
        """Do one session: its start, messages in one batch with it, its end."""
        session = f"{self.peer.id}/{len(self.began)}"
        said: list[dict[str, Any]] = [
            {"op": "start"},
            *({"op": "message", "body": n} for n in range(MESSAGES)),
            {"op": "end"},
        ]
        batch = [frames.read({**one, "session": session, "seq": next(self._seq)}) for one in said]
        await self._inbound.counted(batch)
        self.began.append(session)

    async def listen(self, ended: asyncio.Event) -> None:
        """Take what arrives, in order and without a gap, and acknowledge it."""
        received = 0
        while True:
            last = ended.is_set()
            place = (SLUG, self.peer.key, self.peer.link, received + 1, 200)
            rows = await hotpath.arun(dispatcher.outbox(*place))
            for seq, text in rows:
                assert seq == received + 1
                received = seq
                self.heard.append(dispatcher.read_entry(text))
            if rows:
                await self._inbound.ack(received)
            elif last:
                return
            else:
                await asyncio.sleep(0.01)  # waits: a peer that polls


async def test_a_slot_moves_to_and_fro_and_no_frame_is_lost_doubled_or_out_of_order(
    group: GroupUnderTest, redis_cluster: RedisCluster
) -> None:
    fronts = [Talker(group.front(f"f{n}")) for n in range(3)]
    backs = [Talker(group.back(name=f"as-{n}")) for n in range(2)]
    moved, said = asyncio.Event(), asyncio.Event()
    slot = redis_cluster.slot_of(KEYS.tag)

    def move() -> None:
        source = redis_cluster.owner_of(slot)
        target = redis_cluster.other_than(source)
        for _ in range(TURNS):
            redis_cluster.move_slot(slot, target)
            redis_cluster.move_slot(slot, source)

    async def talk(front: Talker) -> None:
        while not moved.is_set():
            await front.call()

    async def sweep() -> None:
        links = [(each.peer.key, each.peer.link, 0) for each in [*fronts, *backs]]
        while not said.is_set():
            await hotpath.arun(dispatcher.heard(SLUG, "web1", links))
            await hotpath.arun(dispatcher.sweep(SLUG))
            await asyncio.sleep(0.02)  # waits: the pace of the sweep

    others = [asyncio.create_task(each.listen(said)) for each in [*fronts, *backs]]
    others.append(asyncio.create_task(sweep()))
    talking = [asyncio.create_task(talk(front)) for front in fronts]
    await asyncio.to_thread(move)
    moved.set()
    await asyncio.gather(*talking)
    said.set()
    await asyncio.gather(*others)

    arrived: dict[str, list[tuple[str, str]]] = {}
    for back in backs:
        for entry in back.heard:
            arrived.setdefault(entry.session, []).append((entry.kind, entry.body))
    wanted = [("start", "null"), *(("message", str(n)) for n in range(MESSAGES)), ("end", "null")]
    sessions = [session for front in fronts for session in front.began]
    assert len(sessions) > 30
    assert arrived == dict.fromkeys(sessions, wanted)
    assert [entry for front in fronts for entry in front.heard] == []
    group.check_structure()


async def test_a_frame_that_overtook_the_one_before_it_is_done_after_it(
    redis_cluster: RedisCluster, group: GroupUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While keys are half moved the target may refuse one command of a batch, and run the next."""
    front, back = Talker(group.front("f1")), Talker(group.back())
    run_batch = hotpath.arun_batch
    gaps = []

    async def late(commands: list[hotpath.Command[Any]]) -> list[Any]:
        """Run the third command after the others, once."""
        if len(commands) < 4 or gaps:
            return await run_batch(commands)
        others = await run_batch([*commands[:2], *commands[3:]])
        gaps.extend(others[2:])
        return [*others[:2], *(await run_batch([commands[2]])), *others[2:]]

    monkeypatch.setattr(hotpath, "arun_batch", late)
    await front.call()
    assert {error.reason for error in gaps} == {reasons.GAP}
    ended = asyncio.Event()
    ended.set()
    await back.listen(ended)
    bodies = [entry.body for entry in back.heard if entry.kind == "message"]
    assert bodies == [str(n) for n in range(MESSAGES)]
