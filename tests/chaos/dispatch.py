"""What must be true of the dispatcher, judged by the peers' own logs.

Only the sessions of an instance that died, or was away for longer than the disconnect timer, are
lost; both ends of every session are notified of its end; the messages of a session arrive in
order, once. After a fault that lost data a message may come twice, and a session may be lost.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.chaos.resting import until_right

if TYPE_CHECKING:
    from tests.chaos.stack import Stack

AWAY_SECONDS = 5.0  # a pause of this length may outlast the small group's timers (2 + 8 s, in part)
GRACE_SECONDS = 30.0  # from an instance's end until the last of its sessions is reported lost
REST_SECONDS = 90.0
PARTS = (1, 2)
OURS = ("bye",)
REFUSED = "refused: "

Line = Mapping[str, Any]


class BrokenDispatchError(AssertionError):
    """A session was lost that neither end gave up, or an end was not notified."""


@dataclass
class Session:
    """What both ends have logged about one session."""

    began: float = 0.0
    front_over: str = ""
    front_over_at: float = 0.0
    front_part: int = 0
    instance_part: int = 0
    instance_over: str = ""
    wrong: list[Line] = field(default_factory=list)


@dataclass
class Process:
    """When one process of peers was absent: from its last tick to the next."""

    gaps: list[tuple[float, float]] = field(default_factory=list)
    boots: list[float] = field(default_factory=list)

    def was_away(self, since: float, until: float) -> bool:
        """Return whether it died, or did not respond for long, between two moments."""
        return any(began < until and ended > since for began, ended in self.gaps)


@dataclass
class Logs:
    """Every session, and the presence of every process: side and part → its gaps."""

    sessions: dict[str, Session] = field(default_factory=dict)
    processes: dict[tuple[str, int], Process] = field(default_factory=dict)


def group_of(stack: "Stack") -> dict[str, Any] | None:
    """Return the group under load, as the simulator receives it, or None if this stack has none."""
    groups = stack.simulation.get("groups", [])
    return groups[0] if groups else None


def options(stack: "Stack", ports: Sequence[str]) -> str:
    """Return the peers' settings: each knows both web processes."""
    group = group_of(stack)
    assert group is not None
    servers = [f"ws://127.0.0.1:{port}" for port in ports]
    return json.dumps({"servers": servers, "group": group["slug"], "token": group["token"]})


def log_name(side: str, part: int) -> str:
    """Return the file in which one process logs what it saw."""
    return f"dispatch-{side}-{part}.jsonl"


def read_logs(stack: "Stack") -> Logs:
    """Return what all peers have logged so far."""
    logs = Logs()
    for side in ("instances", "fronts"):
        for part in PARTS:
            path = stack.folder / log_name(side, part)
            if path.exists():
                lines = path.read_text().splitlines(keepends=True)
                whole = (json.loads(line) for line in lines if line.endswith("\n"))
                add(logs, side, part, whole)
    return logs


def add(logs: Logs, side: str, part: int, lines: Iterable[Line]) -> None:
    """Take one process's lines into account."""
    process = logs.processes.setdefault((side, part), Process())
    last = 0.0
    for line in lines:
        at = float(line["at"])
        if line["op"] == "boot":
            process.boots.append(at)
            if last:
                process.gaps.append((last, at))
        elif last and at - last > AWAY_SECONDS:
            process.gaps.append((last, at))
        last = at
        if "session" in line:
            its = logs.sessions.setdefault(line["session"], Session())
            _note(its, side, part, line)


def _note(its: Session, side: str, part: int, line: Line) -> None:
    if side == "instances":
        its.instance_part = part
        if line["op"] == "over":
            its.instance_over = line["how"] or "over"
    elif line["op"] == "begin":
        its.began, its.front_part = float(line["at"]), part
    elif line["op"] == "over":
        its.front_over, its.front_over_at = line["how"], float(line["at"])
    elif line["op"] == "wrong":
        its.wrong.append(line)


def begun(stack: "Stack") -> int:
    """Return how many sessions have ended well."""
    return sum(each.front_over in OURS for each in read_logs(stack).sessions.values())


def judge(logs: Logs) -> int:
    """Raise if a session was lost that no dead instance had, or was out of order.

    Return how many sessions were judged.
    """
    for name, its in logs.sessions.items():
        if its.wrong:
            raise BrokenDispatchError(f"{name}: out of order or twice: {its.wrong[:2]}")
        if its.front_over and not _excused(logs, its):
            raise BrokenDispatchError(f"{name} was lost: {its.front_over}, {its}")
    return len(logs.sessions)


def _excused(logs: Logs, its: Session) -> bool:
    if its.front_over in OURS or its.front_over.startswith(REFUSED):
        return True
    since = its.began - GRACE_SECONDS
    ends = [("fronts", its.front_part), ("instances", its.instance_part)]
    known = [logs.processes[end] for end in ends if end in logs.processes]
    if not its.instance_part:  # lost on its way to an instance that was dying just then
        known += [one for (side, _), one in logs.processes.items() if side == "instances"]
    return any(process.was_away(since, its.front_over_at) for process in known)


def first_problem(stack: "Stack", good_before: int) -> str:
    """Return what is red after a fault, or "" if the group is open and sessions end well."""
    group = group_of(stack)
    if group is None:
        return ""
    with stack.redis_client() as client:
        conf = client.hget("{disp." + group["slug"] + "}", "conf")
    status = str(conf or "lost")[:1]
    if status != "o":
        return f"group {group['slug']} is not open: {status}"
    if begun(stack) == good_before:
        return "no session has come to a good end since the fault"
    return ""


def check(stack: "Stack", *, lossless: bool) -> int:
    """Judge what happened so far, unless data was lost. Return the number of sessions."""
    logs = read_logs(stack)
    return judge(logs) if lossless else len(logs.sessions)


def at_rest(stack: "Stack", *, lossless: bool) -> int:
    """Check, with no new sessions, that none is left in Redis and both ends of each were notified.

    Return how many were judged.
    """
    if group_of(stack) is None:
        return 0
    until_right(lambda: _left(stack), REST_SECONDS, BrokenDispatchError)
    return check(stack, lossless=lossless)


def _left(stack: "Stack") -> str:
    group = group_of(stack)
    assert group is not None
    with stack.redis_client() as client:
        routes = client.hlen("{disp." + group["slug"] + "}:routes")
    if routes:
        return f"{routes} routes are left with nobody talking"
    untold = untold_of(read_logs(stack))
    return f"{len(untold)} sessions whose ends do not both know: {untold[:3]}" if untold else ""


def untold_of(logs: Logs) -> list[str]:
    """Return the sessions that are over without notice to an end that has run since before them."""

    def untold(side: str, part: int, over: str, its: Session) -> bool:
        process = logs.processes.get((side, part))
        if over or not its.began or process is None:
            return False
        return not any(boot > its.began for boot in process.boots)

    return [
        name
        for name, its in logs.sessions.items()
        if untold("fronts", its.front_part, its.front_over, its)
        or untold("instances", its.instance_part, its.instance_over, its)
    ]
