"""Commands of calls back: asked for here first, then claimed in the pool, given back, forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.line.desk.replies import DeskReply, read_answer
from queueing.line.desk.scripts import desk_command

CALL_STATES: Final = {"i": "asked", "c": "running", "e": "ending"}
DUE_LIMIT: Final = 100  # calls in one look of the sweep


@dataclass(frozen=True, slots=True)
class CallBack:
    """A call back. `state`: asked (its number may be claimed or not), running, ending.

    `answer`: ok, repeat, not_yours, busy, over, or an error's text; only with ok and repeat is the
    rest filled. `operation` names it in the pool. `in_room`: its agent still has the visitor.
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
    """Read a reply of call_ask, call_keep and call_end."""
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
    """The intent; the same agent again: the call there is."""
    args = (agent, visit, callee, pool, round(look_after_seconds * 1_000))
    return desk_command("call_ask", slug, args, read_call, visit)


def call_keep(
    slug: str, visit: str, operation: str, *, number: str = "", look_after_seconds: float
) -> Command[CallBack]:
    """The number is claimed (or, without one, kept on); "over": give it back."""
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
    """It ends; "repeat" without an operation: there is none."""
    whose = "" if agent is None else agent
    args = (visit, whose, operation, round(look_after_seconds * 1_000))
    return desk_command("call_end", slug, args, read_call, visit)


def call_forget(slug: str, visit: str, operation: str, reason: str = "over") -> Command[DeskReply]:
    """Its number is back."""
    return desk_command("call_forget", slug, (visit, operation, reason), read_answer, operation)


def calls_due(slug: str, count: int = DUE_LIMIT) -> Command[list[CallBack]]:
    """Those that the sweep must look at now."""
    return desk_command("calls", slug, (count,), _read_calls, "calls")


def calls_of(slug: str, visits: Sequence[str]) -> Command[list[CallBack]]:
    """Those of up to 1 000 visits (at least one); who has none is left out."""
    if not visits:
        raise ValueError("no visits are asked for")
    return desk_command("calls", slug, (1, *visits), _read_calls, "calls")


def _read_calls(reply: list[str]) -> list[CallBack]:
    if len(reply) < 2:
        return []
    starts = range(2, len(reply), 8)
    return [read_call(["ok", reply[0], *reply[start : start + 8]]) for start in starts]
