"""Commands that change a desk. Each is one atomic step that includes matching."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.line.desk.replies import (
    AgentState,
    DeskReply,
    Standing,
    read_agent,
    read_answer,
    read_standing,
)
from queueing.line.desk.scripts import SCRIPTS, desk_command
from queueing.line.desk.settings import AgentSettings, QueueSettings, skill_words

LOAD_LIMIT: Final = 1_000  # visits per call of load
SWEEP_BATCH: Final = 200


# -- a desk's lifetime -------------------------------------------------------------------------


def create(slug: str, generation: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Create the desk's data. For an existing generation, the answer is "exists".

    The answer is "other generation" if a later generation exists.
    """
    args = (generation, "o", SCRIPTS["join"].sha1, log_limit)
    return desk_command("create", slug, args, read_answer, str(generation))


def recover(slug: str, generation: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Begin a new generation of lost data. It matches no one until `open_after` opens the desk.

    The answer is "other generation" if a later generation exists.
    """
    args = (generation, "r", SCRIPTS["join"].sha1, log_limit)
    return desk_command("create", slug, args, read_answer, str(generation))


def open_after(slug: str, generation: int, seconds: float) -> Command[DeskReply]:
    """Tell the desk that this generation is loaded: the sweep opens it after `seconds`.

    The answer is "other generation" if another one exists, because its visits are not back yet.
    """
    args = (generation, round(seconds * 1_000))
    return desk_command("open_after", slug, args, read_answer, "open_after")


def queue_write(
    slug: str, queue: int, settings: QueueSettings, *, log_limit: int = 1_000_000
) -> Command[DeskReply]:
    """Write a queue's settings, effective immediately."""
    args = (queue, settings.words(), SCRIPTS["join"].sha1, log_limit)
    return desk_command("queue", slug, args, read_answer, str(queue))


def queue_remove(slug: str, queue: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Remove a queue. The answer is "in_use" while anyone waits in it."""
    args = (queue, "", SCRIPTS["join"].sha1, log_limit)
    return desk_command("queue", slug, args, read_answer, str(queue))


def agent_write(slug: str, agent: int, settings: AgentSettings) -> Command[DeskReply]:
    """Write an agent's settings. The agent's open rooms continue."""
    return desk_command("agent", slug, (agent, *settings.words()), read_answer, str(agent))


def agent_remove(slug: str, agent: int) -> Command[DeskReply]:
    """Remove an agent. The answer is "in_use" while the agent is online."""
    return desk_command("agent", slug, (agent, 0), read_answer, str(agent))


# -- visitors ----------------------------------------------------------------------------------


def beat(slug: str, visit: str) -> Command[Standing]:
    """Record that the visitor is present. A visitor who was away returns to the same place."""
    return desk_command("beat", slug, (visit,), read_standing, visit)


def place(slug: str, visit: str) -> Command[Standing]:
    """Return the visit's current state and change nothing."""
    return desk_command("place", slug, (visit,), read_standing, visit)


def leave(slug: str, visit: str, outcome: str = "left", *, by: str = "") -> Command[Standing]:
    """End the visit. A visit that leaves a room counts as served."""
    return desk_command("leave", slug, (visit, outcome, by), read_standing, visit)


def transfer_to_queue(
    slug: str,
    visit: str,
    queue: int,
    *,
    priority: int | None = None,
    front: bool = False,
    by: str = "",
) -> Command[Standing]:
    """Move a visit to a queue (or its own) by original arrival, or to the front of its class."""
    args = (visit, "q", queue, "" if priority is None else priority, int(front), by)
    return desk_command("transfer", slug, args, read_standing)


def transfer_to_agent(slug: str, visit: str, agent: int, *, by: str = "") -> Command[Standing]:
    """Move a visit to a room of that agent.

    The answer is "no_room" if the agent has no free slot.
    """
    return desk_command("transfer", slug, (visit, "a", agent, "", 0, by), read_standing, visit)


# -- agents ------------------------------------------------------------------------------------


def agent_beat(slug: str, agent: int) -> Command[AgentState]:
    """Record that the agent is present."""
    return desk_command("agent_beat", slug, (agent,), read_agent, str(agent))


def agent_state(slug: str, agent: int) -> Command[AgentState]:
    """Return the agent's current state and change nothing."""
    return desk_command("agent_state", slug, (agent,), read_agent, str(agent))


def login(slug: str, agent: int) -> Command[AgentState]:
    """Put the agent online, also after a pause. A second tab gets the same rooms."""
    return desk_command("login", slug, (agent,), read_agent, str(agent))


def pause(slug: str, agent: int, reason: str) -> Command[AgentState]:
    """Pause the agent when its last room has ended."""
    return desk_command("pause", slug, (agent, "p", reason), read_agent, str(agent))


def logout(slug: str, agent: int, reason: str = "") -> Command[AgentState]:
    """Log the agent out when its last room has ended."""
    return desk_command("pause", slug, (agent, "l", reason), read_agent, str(agent))


def log_out_now(slug: str, agent: int, reason: str) -> Command[AgentState]:
    """Log the agent out immediately. Its visitors return to the front of the line."""
    return desk_command("pause", slug, (agent, "k", reason), read_agent, str(agent))


def ready(slug: str, agent: int) -> Command[DeskReply]:
    """End the agent's wrap-ups early."""
    return desk_command("ready", slug, (agent,), read_answer, str(agent))


def accept(slug: str, agent: int, visit: str, token: str) -> Command[DeskReply]:
    """Accept an offer. The answer "late" changes nothing."""
    return desk_command("accept", slug, (agent, visit, token, 1), read_answer, token)


def decline(slug: str, agent: int, visit: str, token: str) -> Command[DeskReply]:
    """Decline an offer. The visitor keeps their place."""
    return desk_command("accept", slug, (agent, visit, token, 0), read_answer, token)


def take(slug: str, agent: int, visit: str = "", *, by: str = "") -> Command[DeskReply]:
    """Take a chosen visitor, or the next one of the agent's queues."""

    def read(reply: list[str]) -> DeskReply:
        seq = int(reply[1]) if len(reply) > 1 else 0
        return DeskReply(reply[0], seq, reply[2] if len(reply) > 2 else "")

    return desk_command("take", slug, (agent, visit, by), read, visit or None)


def finish(slug: str, agent: int, visit: str, *, by: str = "") -> Command[DeskReply]:
    """End a room of this agent. The answer "not_yours" changes nothing."""
    return desk_command("finish", slug, (agent, visit, by), read_answer, visit)


# -- time and loss of data ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeskSwept:
    """The result of a sweep. `more`: call again immediately.

    now_us, next_us: Redis' time, and the earliest time at which something is due.
    """

    more: bool
    seq: int
    handled: int
    now_us: int
    next_us: int


def sweep(
    slug: str,
    batch: int = SWEEP_BATCH,
    *,
    heard_since_ms: int | None = 0,
    patience_seconds: float = 0.0,
) -> Command[DeskSwept | None]:
    """Do what is due, up to `batch` timers. Return None if the desk does not exist.

    heard_since_ms: since when the service has heard people without a gap; earlier silence does not
    count. None: it does not hear them now, so no one counts as silent.

    patience_seconds: if above 0, act only if something has been due for this long, or if the last
    sweep is 2 s or more ago. Other sweeps do the work otherwise.
    """
    heard_since = "now" if heard_since_ms is None else heard_since_ms

    def read(reply: list[str]) -> DeskSwept | None:
        if len(reply) < 5:
            return None
        more, *numbers = reply
        return DeskSwept(more == "1", *map(int, numbers))

    args = (batch, heard_since, round(patience_seconds * 1_000))
    return desk_command("sweep", slug, args, read, str(batch))


@dataclass(frozen=True, slots=True)
class Loaded:
    """A running visit from SQL. `agent`: the agent whose room it was in, or None if it waited."""

    visit: str
    queue: int
    priority: int
    arrived_us: int
    agent: int | None = None
    skills: Mapping[str, int] | None = None


def load(slug: str, visits: Iterable[Loaded]) -> Command[int]:
    """Restore up to LOAD_LIMIT visits after a loss. Return how many were missing; -1: no desk."""
    words: list[str | int] = []
    for each in visits:
        agent = "-" if each.agent is None else each.agent
        words += [each.visit, each.queue, each.priority, each.arrived_us, agent]
        words.append(skill_words(each.skills or {}))

    def read(reply: Sequence[str]) -> int:
        return int(reply[2]) if len(reply) > 2 else -1

    return desk_command("load", slug, words, read, "load")
