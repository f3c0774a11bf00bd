"""Commands of callbacks: requested at the desk, claimed in the pool, released, forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.line.desk.replies import DeskReply, read_answer
from queueing.line.desk.scripts import desk_command

CALL_STATES: Final = {"i": "asked", "c": "running", "e": "ending"}
DUE_LIMIT: Final = 100  # calls per run of the sweep


@dataclass(frozen=True, slots=True)
class CallBack:
    """A callback. `state`: asked (its number may have been claimed or not), running or ending.

    `answer`: ok, repeat, not_yours, busy, over, or an error's text. The other fields are filled
    only for ok and repeat. `operation`: its ID in the pool. `in_room`: its agent still has the
    visitor.
    """

    answer: str
    seq: int = 0
    visit: str = ""
    state: str = ""
    operation: str = ""
    agent: int = 0
    pool: str = ""
    number: str = ""
    callee: str = ""
    in_room: bool = False

    @property
    def ok(self) -> bool:
        return self.answer in ("ok", "repeat") and bool(self.operation)


def read_call(reply: Sequence[str]) -> CallBack:
    """Read a reply of call_ask, call_keep or call_end."""
    if len(reply) < 10:
        return CallBack(reply[0], int(reply[1]) if len(reply) > 1 else 0)
    answer, seq, visit, state, operation, agent, pool, number, callee, in_room = reply[:10]
    return CallBack(
        *(answer, int(seq), visit, CALL_STATES[state], operation, int(agent), pool),
        *("" if number == "-" else number, callee, in_room == "1"),
    )


def call_ask(
    slug: str, agent: int, visit: str, callee: str, *, pool: str, look_after_seconds: float
) -> Command[CallBack]:
    """Write the intent to call. For the same agent again, return the existing call."""
    args = (agent, visit, callee, pool, round(look_after_seconds * 1_000))
    return desk_command("call_ask", slug, args, read_call, visit)


def call_keep(
    slug: str, visit: str, operation: str, *, number: str = "", look_after_seconds: float
) -> Command[CallBack]:
    """Confirm the claimed number, or renew it if none is given. "over" means: release it."""
    args = (visit, operation, number, round(look_after_seconds * 1_000))
    return desk_command("call_keep", slug, args, read_call, operation)


def call_end(
    slug: str,
    visit: str,
    *,
    agent: int | None = None,
    operation: str = "",
    look_after_seconds: float,
) -> Command[CallBack]:
    """Mark a call as ending. "repeat" without an operation means that there is none."""
    whose = "" if agent is None else agent
    args = (visit, whose, operation, round(look_after_seconds * 1_000))
    return desk_command("call_end", slug, args, read_call, visit)


def call_forget(slug: str, visit: str, operation: str, reason: str = "over") -> Command[DeskReply]:
    """Forget a call whose number was released."""
    return desk_command("call_forget", slug, (visit, operation, reason), read_answer, operation)


def calls_due(slug: str, count: int = DUE_LIMIT) -> Command[list[CallBack]]:
    """Return the calls that the sweep must check now."""
    return desk_command("calls", slug, (count,), _read_calls, "calls")


def calls_of(slug: str, visits: Sequence[str]) -> Command[list[CallBack]]:
    """Return the calls of 1 to 1,000 visits. Visits without a call are left out."""
    if not visits:
        raise ValueError("no visits are asked for")
    return desk_command("calls", slug, (1, *visits), _read_calls, "calls")


def _read_calls(reply: list[str]) -> list[CallBack]:
    if len(reply) < 2:
        return []
    starts = range(2, len(reply), 8)
    return [read_call(["ok", reply[0], *reply[start : start + 8]]) for start in starts]
