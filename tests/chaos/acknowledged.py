"""Nothing acknowledged is lost: what the load was told is compared with what SQL has in the end.

The journals are the load's own files. A line is written once the product has answered, and
nothing is read from Redis. For each system:

- numbers: each call that a switch has made is one record, with the number that the switch was
given; each hang-up that was acknowledged ended its call, with the reported talk time; no call
of a switch that reported all the time was ended by its lease.
- desks: each visitor who was shown how the visit ended finds that in SQL; so do visitors who left,
agents who finished a room, and everyone who wrote a message.
- gates: each task that a device was given and each result that was accepted; each permit that
was granted and given back, by its token, and no token twice.

No request was refused without a reason: none of these answers was a 500.

Sessions of the dispatcher are not in SQL: tests.chaos.dispatch judges them by both ends' logs.
"""

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.chaos import gates, line
from tests.chaos.resting import until_right

if TYPE_CHECKING:
    from tests.chaos.stack import Stack

CAUGHT_UP_SECONDS = 60.0
HEARD_SECONDS = 6.0  # half of the small pools' leases: a switch reports its calls every 2 s
UNCLEAR_STATUS = 500
LEASE_ENDED = "released: lease ended"
PARTS = (1, 2)

Line = Mapping[str, Any]


class LostError(AssertionError):
    """Something that the product has acknowledged is not in SQL, or differs there."""


def devices_log(part: int) -> str:
    """Return the file in which one half of the devices log what the gate acknowledged."""
    return f"devices-{part}.jsonl"


def holders_log(part: int) -> str:
    """Return the file in which one half of the permits' holders log what the gate acknowledged."""
    return f"holders-{part}.jsonl"


def read(paths: Iterable[Path]) -> Iterator[Line]:
    """Yield whole lines in the order of each file.

    A writer may have been killed in its last line.
    """
    for path in paths:
        if path.exists():
            for text in path.read_text().splitlines(keepends=True):
                if text.endswith("\n"):
                    yield json.loads(text)


def all_in_sql(stack: "Stack") -> dict[str, int]:
    """Return how much of each kind was acknowledged. Raise LostError unless SQL has all of it.

    The load may continue: the drains have CAUGHT_UP_SECONDS for what was acknowledged before this
    call. For a run in which Redis has lost nothing that it had acknowledged.
    """
    its = {
        calls: list(read(stack.call_logs)),
        visits: list(read(line.log_path(stack, part) for part in PARTS)),
        tasks: list(read(stack.folder / devices_log(part) for part in PARTS)),
        permits: list(read(stack.folder / holders_log(part) for part in PARTS)),
    }
    counted: Counter[str] = Counter()

    def wrong() -> str:
        counted.clear()
        return next((text for judge in its if (text := judge(stack, its[judge], counted))), "")

    until_right(wrong, CAUGHT_UP_SECONDS, LostError)
    return dict(counted)


# -- numbers ---------------------------------------------------------------------------------------


def calls(stack: "Stack", lines: Sequence[Line], counted: Counter[str]) -> str:
    """Return what is wrong with the calls in SQL by the switches' logs, or ""."""
    rows = stack.sql(
        "SELECT call_id, number, ended_how, answered, talk_seconds FROM numbers_callrecord"
    )
    return wrong_calls(lines, rows, counted)


def wrong_calls(
    lines: Sequence[Line], rows: Iterable[tuple[Any, ...]], counted: Counter[str]
) -> str:
    """Judge the calls. Rows: call id, number, how it ended, answered, talk seconds."""
    records: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for call_id, *rest in rows:
        records[call_id].append(tuple(rest))
    silent = _silences(lines)
    begun: dict[str, Line] = {}
    for told in lines:
        if told["op"] == "begin":
            counted["calls"] += 1
            begun[told["call_id"]] = told
            its = records[told["call_id"]]
            if len(its) != 1 or its[0][0] != told["number"]:
                return f"call {told['call_id']} with {told['number']} is {its} in SQL"
        elif told["op"] == "released" and not told["reason"]:
            counted["hang-ups"] += 1
            wrong = _wrong_end(told, records[told["call_id"]])
            if wrong:
                return wrong
        elif told["op"] == "end" and told["call_id"] in begun:
            early = records[told["call_id"]][0][1] == LEASE_ENDED
            since = begun[told["call_id"]]["at_us"]
            if early and not _was_silent(silent[told["switch"]], since, told["at_us"]):
                return f"call {told['call_id']} was ended by its lease, its switch was there"
    return ""


def _wrong_end(told: Line, its: list[tuple[Any, ...]]) -> str:
    """Return how a record differs from its acknowledged hang-up, or "".

    The hang-up must have ended the call, with the reported times.
    """
    if not its:
        return f"call {told['call_id']} was hung up, and is not in SQL"
    _, how, answered, talk_seconds = its[0]
    said = told["told"]
    same = answered == said.get("answered") and (talk_seconds or 0) == said.get("talk_seconds", 0)
    if not str(how).startswith("hangup") or not same:
        return f"the hang-up of {told['call_id']} with {said} is {its[0]} in SQL"
    return ""


def _silences(lines: Iterable[Line]) -> dict[str, list[tuple[int, int]]]:
    """Return when a switch was not heard for long: from a live list to the next, µs."""
    heard: dict[str, list[int]] = defaultdict(list)
    for told in lines:
        if told["op"] == "listed":
            heard[told["switch"]].append(told["at_us"])
    longest = HEARD_SECONDS * 1_000_000
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for switch, moments in heard.items():
        moments.sort()
        pairs = itertools.pairwise(moments)
        found[switch] = [pair for pair in pairs if pair[1] - pair[0] > longest]
    return found


def _was_silent(silences: Iterable[tuple[int, int]], since: int, until: int) -> bool:
    return any(began < until and ended > since for began, ended in silences)


# -- desks -----------------------------------------------------------------------------------------


def visits(stack: "Stack", lines: Sequence[Line], counted: Counter[str]) -> str:
    """Return what is wrong with the visits in SQL by the logs of visitors and agents, or ""."""
    ends = dict(stack.sql("SELECT public_id, outcome FROM line_visit"))
    said = stack.sql(
        "SELECT v.public_id, m.author, count(*) FROM line_message m"
        " JOIN line_visit v ON v.id = m.visit_id GROUP BY 1, 2"
    )
    return wrong_visits(lines, ends, {(visit, author): n for visit, author, n in said}, counted)


def wrong_visits(
    lines: Iterable[Line],
    ends: Mapping[str, str],
    said: Mapping[tuple[str, str], int],
    counted: Counter[str],
) -> str:
    """Judge the visits. ends: visit → outcome; said: (visit, author) → how many messages."""
    for told in lines:
        if "refused" in told:
            if text := _unclear(told["refused"], told, counted):
                return text
            continue
        deed = told.get("did", "")
        visit = told["visit"] if deed else told.get("v", "")
        if deed in ("visitor said", "agent said"):
            counted["messages at desks"] += 1
            if not said.get((visit, deed.partition(" ")[0])):
                return f"{deed} in {visit}: not in SQL"
        elif deed == "finished":
            counted["rooms finished"] += 1
            if not ends.get(visit):
                return f"an agent finished {visit}, in SQL it has no end"
        elif deed == "left" or told.get("answer") == "ended":
            counted["visits told how they ended"] += 1
            if told["word"] and ends.get(visit) != told["word"]:
                return f"{visit} was told {told['word']!r}, in SQL it is {ends.get(visit)!r}"
    return ""


# -- gates -----------------------------------------------------------------------------------------


def tasks(stack: "Stack", lines: Sequence[Line], counted: Counter[str]) -> str:
    """Return what is wrong with the tasks in SQL by the devices' logs, or ""."""
    states = dict(stack.sql("SELECT id, state FROM admission_task"))
    return wrong_tasks(lines, _events(stack, gates.GATE), states, counted)


def permits(stack: "Stack", lines: Sequence[Line], counted: Counter[str]) -> str:
    """Return what is wrong with the permits in SQL by the holders' logs, or ""."""
    return wrong_permits(lines, _events(stack, gates.HOLDERS_GATE), counted)


def _events(stack: "Stack", gate: str) -> Counter[tuple[Any, ...]]:
    """Return a gate's history: (event, holder, token) → how often."""
    return Counter(
        stack.sql(
            "SELECT e.event, e.holder, e.token FROM admission_gateevent e"
            " JOIN admission_gate g ON g.id = e.aggregate_id"
            " WHERE g.slug = %s AND e.token IS NOT NULL",
            gate,
        )
    )


def wrong_tasks(
    lines: Iterable[Line],
    events: Counter[tuple[Any, ...]],
    states: Mapping[int, str],
    counted: Counter[str],
) -> str:
    """Judge the tasks. events: (event, holder, token) → how often; states: task → state."""
    for told in lines:
        if told["op"] == "refused":
            if text := _unclear(told["status"], told, counted):
                return text
            continue
        name = int(told["task"].rpartition(".")[2])
        if told["op"] == "task":
            counted["tasks given"] += 1
            given = ("issued", f"@{told['device']}", told["token"])
            if events[given] != 1:
                return f"a task was given, in SQL {events[given]} times: {told}"
        elif told["word"] == "accepted":
            counted["results accepted"] += 1
            if states.get(name) != ("done" if told["ok"] else "failed"):
                return f"a result was accepted, in SQL its task is {states.get(name)}: {told}"
    return ""


def wrong_permits(
    lines: Iterable[Line], events: Counter[tuple[Any, ...]], counted: Counter[str]
) -> str:
    """Judge the permits by their tokens."""
    holder_of: dict[int, str] = {}
    for told in lines:
        if told["op"] == "refused":
            if text := _unclear(told["status"], told, counted):
                return text
            continue
        counted[f"permits {told['op']}"] += 1
        key = (told["op"], told["holder"], told["token"])
        if events[key] != 1:
            return f"a permit was {told['op']}, in SQL {events[key]} times: {told}"
        if holder_of.setdefault(told["token"], told["holder"]) != told["holder"]:
            return f"two holders had the token {told['token']}"
    return ""


def _unclear(status: int, told: Line, counted: Counter[str]) -> str:
    """Return a complaint about an unclear refusal, or "".

    A refusal must state what to do. A 500 leaves open what happened.
    """
    counted["refusals"] += 1
    return f"somebody was answered {status}: {told}" if status == UNCLEAR_STATUS else ""
