"""Visitors, agents or the sweep of a desk, as a process that may be killed at any moment.

python -m tests.line.soak_caller visitors|agents|sweep <redis url> <folder> <name> <seed>

It logs every answer before it continues. After a kill it reads that log and continues with the
same visits. With a file `rest` in the folder no visitor comes or leaves any more,
and visitors end when all of theirs have.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.hotpath import HotPath
from queueing.line import desk

SLUG, QUEUE = "support", 1
AT_ONCE = 40
AGENTS_EACH = 3
STEP_SECONDS = 0.01
# With eight places of agents some 25 rooms end a second, so 200 visitors wait about 8 s: on a
# machine of any speed longer than the TTL of a silent visitor.
ROOM_SECONDS = 0.3


class Caller:
    """A process: its Redis, its random generator, its log."""

    def __init__(self, url: str, folder: str, name: str, seed: str) -> None:
        self.path = HotPath(url)
        self.folder, self.name = Path(folder), name
        self.dice = random.Random(f"{seed} {time.time_ns()}")
        self.log_path = self.folder / f"{name}.jsonl"
        known = self.log_path.read_text() if self.log_path.exists() else ""
        self.known = [
            json.loads(line) for line in known.splitlines(keepends=True) if line[-1:] == "\n"
        ]
        self.log = self.log_path.open("a")
        if known and not known.endswith("\n"):
            self.log.write("\n" if _is_json(known.rpartition("\n")[2]) else " cut\n")

    def note(self, **told: Any) -> None:
        self.log.write(json.dumps(told) + "\n")
        self.log.flush()

    def ask(self, command: Any) -> tuple[Any, int, int]:
        """Return the answer, with the µs before and after."""
        before = time.monotonic_ns() // 1_000
        answer = self.path.run(command)
        return answer, before, time.monotonic_ns() // 1_000

    @property
    def rests(self) -> bool:
        return (self.folder / "rest").exists()


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def visitors(caller: Caller) -> None:
    """Come, send heartbeats, vanish, come back, leave; each with an ID of its own choice."""
    asked = [told["asks"] for told in caller.known if "asks" in told]
    over = {told["v"] for told in caller.known if told.get("answer") in ("ended", "gone")}
    mine = [visit for visit in asked if visit not in over]
    silent: dict[str, float] = {}
    number = len(asked)
    for visit in list(mine):  # a killed process comes back with its visits, and some have ended
        _visitor_told(caller, visit, desk.join(SLUG, visit, QUEUE), mine)
    while mine or not caller.rests:
        if len(mine) < AT_ONCE and not caller.rests:
            number += 1
            visit = f"{caller.name}-{number}"
            caller.note(asks=visit)
            mine.append(visit)
            _visitor_told(caller, visit, desk.join(SLUG, visit, QUEUE), mine)
        for visit in list(mine):
            if time.monotonic() < silent.get(visit, 0):
                continue
            luck = caller.dice.random()
            if luck < 0.004 and not caller.rests:
                seconds = caller.dice.uniform(0.5, 8)
                silent[visit] = time.monotonic() + seconds  # waits: a visitor's play
            elif luck < 0.008 and not caller.rests:
                _visitor_told(caller, visit, desk.leave(SLUG, visit), mine)
            else:
                _visitor_told(caller, visit, desk.beat(SLUG, visit), mine)
        time.sleep(STEP_SECONDS)  # waits: the pace of the load


def _visitor_told(caller: Caller, visit: str, command: Any, mine: list[str]) -> None:
    told, before, after = caller.ask(command)
    caller.note(
        v=visit, t0=before, t1=after, answer=told.answer, ticket=told.ticket,
        ahead=told.ahead, queue=told.queue, word=told.word,
    )  # fmt: skip
    if told.answer in ("ended", "gone"):
        mine.remove(visit)


def agents(caller: Caller) -> None:
    """Go online, end rooms, pause. A third of the agents has two rooms."""
    first = int(caller.name.rpartition("-")[2]) * AGENTS_EACH + 1
    ends: dict[str, float] = {}
    while True:
        for agent in range(first, first + AGENTS_EACH):
            state = _agent_told(caller, agent, desk.agent_beat(SLUG, agent))
            if state.answer == "offline" or state.state == "paused" or state.pending:
                if caller.dice.random() < 0.2 or caller.rests:
                    _agent_told(caller, agent, desk.login(SLUG, agent))
                continue
            for slot in state.slots:
                lasts = caller.dice.expovariate(1 / ROOM_SECONDS)
                end = time.monotonic() + lasts  # waits: an agent's play
                end = ends.setdefault(slot.visit, end)
                if slot.kind == "room" and time.monotonic() >= end:
                    caller.ask(desk.finish(SLUG, agent, slot.visit))
            luck = caller.dice.random()
            if luck < 0.004 and not caller.rests:
                does = caller.dice.choice([desk.pause, desk.logout])
                caller.ask(does(SLUG, agent, "why"))
        time.sleep(STEP_SECONDS)  # waits: the pace of the load


def _agent_told(caller: Caller, agent: int, command: Any) -> desk.AgentState:
    state, before, after = caller.ask(command)
    caller.note(
        a=agent, t0=before, t1=after, state=state.state, pending=state.pending,
        rooms=[slot.visit for slot in state.slots if slot.kind == "room"],
        used=len(state.slots), capacity=capacity_of(agent), queues=[QUEUE],
    )  # fmt: skip
    assert isinstance(state, desk.AgentState)
    return state


def capacity_of(agent: int) -> int:
    """Return the capacity: every third agent has two rooms."""
    return 1 + (agent % 3 == 0)


def sweep(caller: Caller) -> None:
    """Do what a worker does each second, more often."""
    while True:
        while caller.path.run(desk.sweep(SLUG)).more:
            pass
        time.sleep(0.1)  # waits: the pace of the sweep


PLAYS: dict[str, Callable[[Caller], None]] = {
    "visitors": visitors,
    "agents": agents,
    "sweep": sweep,
}

if __name__ == "__main__":
    PLAYS[sys.argv[1]](Caller(*sys.argv[2:]))
