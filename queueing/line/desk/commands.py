"""Commands that change a desk. Each is one atomic step, matching inside."""

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

LOAD_LIMIT: Final = 1_000  # visits in one call of load
SWEEP_BATCH: Final = 200


# -- a desk's life -----------------------------------------------------------------------------


def create(slug: str, generation: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Begin the desk's data; the same generation again changes nothing (answer "exists").

    Refused, "other generation", where a later life is there.
    """
    args = (generation, "o", SCRIPTS["join"].sha1, log_limit)
    return desk_command("create", slug, args, read_answer, str(generation))


def recover(slug: str, generation: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Begin a new life of lost data: nobody is matched, and it does not open before open_after.

    Refused, "other generation", where a later life is there.
    """
    args = (generation, "r", SCRIPTS["join"].sha1, log_limit)
    return desk_command("create", slug, args, read_answer, str(generation))


def open_after(slug: str, generation: int, seconds: float) -> Command[DeskReply]:
    """Everything is loaded into this life: the sweep opens the desk so many seconds from now.

    Refused, "other generation", where another life is there: its visits are not back yet.
    """
    args = (generation, round(seconds * 1_000))
    return desk_command("open_after", slug, args, read_answer, "open_after")


def queue_write(
    slug: str, queue: int, settings: QueueSettings, *, log_limit: int = 1_000_000
) -> Command[DeskReply]:
    """Write a queue's settings; they hold from that moment."""
    args = (queue, settings.words(), SCRIPTS["join"].sha1, log_limit)
    return desk_command("queue", slug, args, read_answer, str(queue))


def queue_remove(slug: str, queue: int, *, log_limit: int = 1_000_000) -> Command[DeskReply]:
    """Remove a queue; "in_use" while anybody waits in it."""
    args = (queue, "", SCRIPTS["join"].sha1, log_limit)
    return desk_command("queue", slug, args, read_answer, str(queue))


def agent_write(slug: str, agent: int, settings: AgentSettings) -> Command[DeskReply]:
    """Write what an agent may do; rooms that it has go on."""
    return desk_command("agent", slug, (agent, *settings.words()), read_answer, str(agent))


def agent_remove(slug: str, agent: int) -> Command[DeskReply]:
    """Remove an agent; "in_use" while it is online."""
    return desk_command("agent", slug, (agent, 0), read_answer, str(agent))


# -- visitors ----------------------------------------------------------------------------------


def beat(slug: str, visit: str) -> Command[Standing]:
    """The visitor is there; one who was away is back at the same place."""
    return desk_command("beat", slug, (visit,), read_standing, visit)


def place(slug: str, visit: str) -> Command[Standing]:
    """Where the visit stands; nothing is changed."""
    return desk_command("place", slug, (visit,), read_standing, visit)


def leave(slug: str, visit: str, outcome: str = "left", *, by: str = "") -> Command[Standing]:
    """The visit ends; out of a room that the visitor leaves it counts as served."""
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
    """Into a queue (its own too) by original arrival, or to the front of its class."""
    args = (visit, "q", queue, "" if priority is None else priority, int(front), by)
    return desk_command("transfer", slug, args, read_standing)


def transfer_to_agent(slug: str, visit: str, agent: int, *, by: str = "") -> Command[Standing]:
    """Into a room of that agent; "no_room" when it has no free slot."""
    return desk_command("transfer", slug, (visit, "a", agent, "", 0, by), read_standing, visit)


# -- agents ------------------------------------------------------------------------------------


def agent_beat(slug: str, agent: int) -> Command[AgentState]:
    """The agent is there."""
    return desk_command("agent_beat", slug, (agent,), read_agent, str(agent))


def agent_state(slug: str, agent: int) -> Command[AgentState]:
    """How the agent stands; nothing is changed."""
    return desk_command("agent_state", slug, (agent,), read_agent, str(agent))


def login(slug: str, agent: int) -> Command[AgentState]:
    """The agent goes online, or on after a pause; a second tab gets the same rooms."""
    return desk_command("login", slug, (agent,), read_agent, str(agent))


def pause(slug: str, agent: int, reason: str) -> Command[AgentState]:
    """The agent pauses, when its last room has ended."""
    return desk_command("pause", slug, (agent, "p", reason), read_agent, str(agent))


def logout(slug: str, agent: int, reason: str = "") -> Command[AgentState]:
    """The agent logs out, when its last room has ended."""
    return desk_command("pause", slug, (agent, "l", reason), read_agent, str(agent))


def log_out_now(slug: str, agent: int, reason: str) -> Command[AgentState]:
    """A supervisor logs the agent out: its visitors go back to the front of the line."""
    return desk_command("pause", slug, (agent, "k", reason), read_agent, str(agent))


def ready(slug: str, agent: int) -> Command[DeskReply]:
    """The agent ends its wrap-ups early."""
    return desk_command("ready", slug, (agent,), read_answer, str(agent))


def accept(slug: str, agent: int, visit: str, token: str) -> Command[DeskReply]:
    """Accept an offer; "late" changes nothing."""
    return desk_command("accept", slug, (agent, visit, token, 1), read_answer, token)


def decline(slug: str, agent: int, visit: str, token: str) -> Command[DeskReply]:
    """Decline an offer: the visitor keeps its place."""
    return desk_command("accept", slug, (agent, visit, token, 0), read_answer, token)


def take(slug: str, agent: int, visit: str = "", *, by: str = "") -> Command[DeskReply]:
    """Take a chosen visitor, or the next of the agent's queues."""

    def read(reply: list[str]) -> DeskReply:
        seq = int(reply[1]) if len(reply) > 1 else 0
        return DeskReply(reply[0], seq, reply[2] if len(reply) > 2 else "")

    return desk_command("take", slug, (agent, visit, by), read, visit or None)


def finish(slug: str, agent: int, visit: str, *, by: str = "") -> Command[DeskReply]:
    """End a room of this agent; "not_yours" changes nothing."""
    return desk_command("finish", slug, (agent, visit, by), read_answer, visit)


# -- time and loss -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DeskSwept:
    """What one sweep did; `more`: call again at once.

    now_us, next_us: Redis' time, and the earliest at which something is due.
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
    """What time brings, at most `batch` timers of it; None = there is no such desk.

    heard_since_ms: since when the service has heard people without a break: nobody's silence
    counts from before. None: it does not hear them now, so nobody is silent.
    patience_seconds: above 0, nothing is done while others sweep: nothing has been due for
    so long, and the last sweep is less than 2 s ago.
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
    """One running visit as SQL knows it. `agent`: whose room it was in, None = it waited."""

    visit: str
    queue: int
    priority: int
    arrived_us: int
    agent: int | None = None
    skills: Mapping[str, int] | None = None


def load(slug: str, visits: Iterable[Loaded]) -> Command[int]:
    """Put up to LOAD_LIMIT visits back after a loss; how many were not there, -1: no desk."""
    words: list[str | int] = []
    for each in visits:
        agent = "-" if each.agent is None else each.agent
        words += [each.visit, each.queue, each.priority, each.arrived_us, agent]
        words.append(skill_words(each.skills or {}))

    def read(reply: Sequence[str]) -> int:
        return int(reply[2]) if len(reply) > 2 else -1

    return desk_command("load", slug, words, read, "load")
