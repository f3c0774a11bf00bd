"""What must be true of the waiting line: the four laws, by the logs of visitors and agents.

After each fault every visitor has the place that the time of arrival gives, also after FLUSHALL; no
visitor who was there is lost; and a room has ended since. At the end every visitor was served.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.chaos.resting import until_right
from tests.line.judge import BrokenLawError, Logs, judge, read_logs

if TYPE_CHECKING:
    from tests.chaos.stack import Stack

TTL_SECONDS = 15.0
BEAT_SECONDS = 1.0
VISITS_PER_HOUR = 400.0
MEAN_ROOM_SECONDS = 20.0
REST_SECONDS = 240.0


class BrokenLineError(AssertionError):
    """A law of the line was broken, or a visitor was lost."""


def desk_of(stack: "Stack") -> dict[str, Any] | None:
    """Return the desk under load, as the simulator receives it, or None if this stack has none."""
    desks = stack.simulation.get("desks", [])
    return desks[0] if desks else None


def config(stack: "Stack") -> Path:
    """Return a configuration with more and shorter visits, so that a short fault meets some."""
    its = json.loads(json.dumps(stack.simulation))
    for desk in its.get("desks", []):
        for queue in desk["queues"]:
            queue["visits_per_hour"] = VISITS_PER_HOUR
            queue["mean_room_seconds"] = MEAN_ROOM_SECONDS
    path = stack.folder / "people.json"
    path.write_text(json.dumps(its))
    path.chmod(0o600)
    return path


def log_path(stack: "Stack", part: int) -> Path:
    """Return the file in which one half of the people log what they were shown."""
    return stack.folder / f"people-{part}.jsonl"


def logs(stack: "Stack") -> Logs:
    """Return what all people have logged so far."""
    return read_logs(path for part in (1, 2) if (path := log_path(stack, part)).exists())


def served(stack: "Stack") -> int:
    """Return how many visitors know that they have been served."""
    return _served(logs(stack))


def _served(told: Logs) -> int:
    return sum(
        answers[-1]["answer"] == "ended" and answers[-1]["word"] == "served"
        for answers in told.visits.values()
    )


def keeps_the_laws(stack: "Stack") -> dict[str, int]:
    """Raise BrokenLineError if the logs prove a broken law. Return how much was judged.

    Agents' idleness is judged by `manage.py line check`: it is lawful while a desk recovers.
    """
    try:
        return judge(logs(stack), TTL_SECONDS, idle=False)
    except BrokenLawError as error:
        raise BrokenLineError(str(error)) from error


def first_problem(stack: "Stack", served_before: int) -> str:
    """Return what is red after a fault, or "" if the desk is open, serves, and keeps the laws."""
    desk = desk_of(stack)
    if desk is None:
        return ""
    tag = "{line." + desk["slug"] + "}"
    with stack.redis_client() as client:
        conf = client.hget(tag, "conf")
    status = str(conf or "lost")[:1]
    if status != "o":
        return f"desk {desk['slug']} is not open: {status}"
    if served(stack) <= served_before:
        return "nobody has been served since the fault"
    return check(stack)


def check(stack: "Stack") -> str:
    """Return what `manage.py line check` complains about, or "" if the desk keeps the four laws."""
    result = stack.manage("line", "check")
    if result.returncode == 0:
        return ""
    return f"line check: {(result.stdout + result.stderr).strip()[-600:]}"


def at_rest(stack: "Stack") -> None:
    """Check, without new visitors: all are served, visits have ended in SQL, laws are kept."""
    desk = desk_of(stack)
    if desk is None:
        return
    until_right(lambda: _left(stack, desk["slug"]) or check(stack), REST_SECONDS, BrokenLineError)
    keeps_the_laws(stack)
    known = {
        row[0]: row[1]
        for row in stack.sql(
            "SELECT v.public_id, v.outcome FROM line_visit v JOIN line_desk d ON d.id = v.desk_id"
            " WHERE d.slug = %s",
            desk["slug"],
        )
    }
    told = logs(stack)
    missing = sorted(visit for visit in told.visits if not known.get(visit))
    if missing:
        raise BrokenLineError(f"{len(missing)} visits have no end in SQL: {missing[:3]}")


def _left(stack: "Stack", slug: str) -> str:
    tag = "{line." + slug + "}"
    with stack.redis_client() as client:
        waiting = client.zcard(f"{tag}:waiting")
        states = client.hvals(f"{tag}:visits")
    rooms = sum(state.startswith("r") for state in states)
    if waiting or rooms:
        return f"{waiting} visitors wait and {rooms} are in rooms with nobody coming"
    rows = stack.sql(
        "SELECT v.public_id FROM line_visit v JOIN line_desk d ON d.id = v.desk_id"
        " WHERE d.slug = %s AND v.ended_at IS NULL",
        slug,
    )
    return f"{len(rows)} visits have no end in SQL: {rows[:3]}" if rows else ""
