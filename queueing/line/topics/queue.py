"""A queue, live: the movements of the line, for visitors; and its first rows, for agents."""

import time
from collections.abc import Iterable
from typing import Any

from poolsite import access, hotpath, live
from poolsite.live.scopes import slug_of
from poolsite.live.tail import TailEntry, tail_of
from queueing.line import desk as commands
from queueing.line.desk.changes import read_change
from queueing.line.selectors import why
from queueing.line.selectors.agent_page import ROWS, waiting_rows
from queueing.line.topics.scope import TopicScope, may_serve, place_in, queue_place_now

DELTAS_PER_FRAME = 120
AGENTS_MOVE = {"login", "logout", "agent_lost", "no_agent", "agents"}


class QueueTopic(live.Topic):
    """`line.queue:<slug>`: the changes of the line. Each page computes its own place in O(1).

    Snapshot: {"seq", "waiting", "online", "agents": why.agents_of_queue}.

    Change: {"seq", "moves": [[seq, class, ticket, +1 | -1]]}. A page adds the moves after its own
    `seq` whose (class, ticket) are before its own. If agents came or left, the change has "online"
    too, because waiting visitors see whether anyone serves the queue. If the counts of agents
    changed, it has "agents", at most once in three seconds.
    """

    name = "line.queue"
    period_seconds = 0.4  # sent to every page of the line, which must be right within a second
    waiting_frames = 64  # after a snapshot, each page requests its place: more costly than these

    def __init__(self, key: str) -> None:
        super().__init__(slug_of(key, "queue"))
        self._known: TopicScope | None = None
        self._agents: dict[str, int] = {}
        self._counted_at = float("-inf")

    async def allowed(self, principal: access.Principal) -> access.Decision:
        place = self._known = await queue_place_now(self.key)
        if place is not None and principal.kind == "visitor":
            thing = access.Thing("desk", place.desk, place.account_id)
            return access.decide(principal, "line.visit", thing)
        return await may_serve(principal, place)

    def wake_channels(self) -> list[str]:
        """Return the desk's channel. `allowed` has found the desk before the feed begins."""
        if self._known is None:
            return [live.touch_channel(self.address)]
        return [commands.DeskKeys(place_in(self._known).desk).wake_channel]

    def _tail(self) -> Any:
        self.tag = commands.DeskKeys(place_in(self._known).desk).tag
        return tail_of(self.tag)

    async def snapshot(self) -> live.Snapshot:
        tail = self._tail_kept = self._tail()
        await tail.read()
        version = tail.version
        figures = await hotpath.arun(commands.show(place_in(self._known).desk))
        mine = figures.queues.get(place_in(self._known).queue) if figures is not None else None
        data = {
            "seq": version & (2**40 - 1),
            "waiting": mine.waiting if mine is not None else 0,
            "online": mine.online if mine is not None else 0,
            "agents": await self._count(),
        }
        return live.Snapshot(version, data)

    async def changes(self, since: int) -> live.Changes | None:
        tail = self._tail_kept
        await tail.read()
        until = tail.version
        entries = tail.since(since, until)
        if entries is None:
            return None
        moves = list(moves_of(entries, place_in(self._known).queue))
        online = await self._online() if _agents_moved(entries) else None
        agents = await self._moved_agents()
        if not moves and online is None and agents is None:
            return live.Changes(until, None)
        seq = until & (2**40 - 1)
        parts: list[dict[str, Any]] = [
            {"seq": seq, "moves": moves[start : start + DELTAS_PER_FRAME]}
            for start in range(0, max(1, len(moves)), DELTAS_PER_FRAME)
        ]
        if online is not None:
            parts[-1]["online"] = online
        if agents is not None:
            parts[-1]["agents"] = agents
        return live.Changes(until, parts[-1], before=tuple(parts[:-1]))

    async def _count(self) -> dict[str, int]:
        place = place_in(self._known)
        self._counted_at = time.monotonic()
        self._agents = await live.in_thread(why.agents_of_queue, place.desk, place.queue)
        return self._agents

    async def _moved_agents(self) -> dict[str, int] | None:
        """Return the agents' current counts, or None if they are unchanged or were just counted."""
        if time.monotonic() - self._counted_at < why.FRESH_SECONDS:
            return None
        before = self._agents
        now = await self._count()
        return now if now != before else None

    async def _online(self) -> int:
        place = place_in(self._known)
        figures = await hotpath.arun(commands.show(place.desk))
        mine = figures.queues.get(place.queue) if figures is not None else None
        return mine.online if mine is not None else 0

    @staticmethod
    def apply(data: Any, change: Any) -> Any:
        """Apply the moves to the snapshot's count."""
        moved = sum(move[3] for move in change["moves"])
        told = {name: change.get(name, data[name]) for name in ("online", "agents")}
        return {"seq": change["seq"], "waiting": data["waiting"] + moved, **told}


def _agents_moved(entries: Iterable[TailEntry]) -> bool:
    return any(read_change(entry.fields).kind in AGENTS_MOVE for entry in entries)


def moves_of(entries: Iterable[TailEntry], queue: int) -> Iterable[list[int]]:
    """Iterate over the gains (+1) and losses (-1) of a queue's line: [seq, class, ticket, step]."""
    mine = str(queue)
    for entry in entries:
        for step in read_change(entry.fields).line_steps():
            if step.queue == mine:
                yield [entry.seq, step.priority, step.ticket, step.step]


class WaitingTopic(live.RowsTopic):
    """`line.waiting:<slug>`: the first rows of a queue's line, for agents and supervisors."""

    name = "line.waiting"

    def __init__(self, key: str) -> None:
        super().__init__(slug_of(key, "queue"))
        self._known: TopicScope | None = None

    async def allowed(self, principal: access.Principal) -> access.Decision:
        place = self._known = await queue_place_now(self.key)
        return await may_serve(principal, place)

    def wake_channels(self) -> list[str]:
        """Return the channels of the desk and of the topic."""
        own = [live.touch_channel(self.address)]
        return [*own, commands.DeskKeys(self._known.desk).wake_channel] if self._known else own

    async def read(self) -> dict[str, Any]:
        part = await hotpath.arun(
            commands.waiting(place_in(self._known).desk, place_in(self._known).queue, count=ROWS)
        )
        return await live.in_thread(waiting_rows, part)
