"""The four laws, judged only from the clients' own logs: nothing is read from Redis or SQL.

A line of a log is one answer, with the time before the request and after the answer (µs, one clock
for all processes). Its content was true at one moment between the two. Visitors: {"v", "t0", "t1",
"answer", "ticket", "queue", "word"}; agents: {"a", "t0", "t1", "state", "pending", "rooms",
"used", "capacity", "queues"}. Each judgement counts only what the times prove.
"""

import itertools
import json
import sys
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Span = tuple[int, int]  # µs: surely from … until
TOLD = ("waiting", "away", "offered", "room", "ended", "gone")


class BrokenLawError(AssertionError):
    """The clients' logs prove that a law was broken."""


@dataclass
class Logs:
    """Every client's answers, by visit and by agent, in order of time."""

    visits: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    agents: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, line: str) -> None:
        """Take one whole line. Lines that are no answer are skipped."""
        told = json.loads(line)
        if "a" in told:
            self.agents[str(told["a"])].append(told)
        elif told.get("answer") in TOLD:
            self.visits[told["v"]].append(told)

    def sort(self) -> "Logs":
        """Sort each client's answers by the time of the request."""
        for told in (*self.visits.values(), *self.agents.values()):
            told.sort(key=lambda answer: int(answer["t0"]))
        return self


def read_logs(paths: Iterable[Path]) -> Logs:
    """Read whole lines; the last line of a process that was killed may be cut off."""
    logs = Logs()
    for path in paths:
        for line in path.read_text().splitlines(keepends=True):
            if line.endswith("\n"):
                logs.add(line)
    return logs.sort()


def judge(logs: Logs, ttl_seconds: float, *, idle: bool = True) -> dict[str, int]:
    """Compare the logs with all laws and return how much was judged. Raise BrokenLawError.

    idle: judge law 3 too, which does not apply while a lost desk recovers.
    """
    ttl_us = round(ttl_seconds * 1_000_000)
    rooms = in_one_place(logs, ttl_us)
    answers = within_capacity(logs)
    matches = not_overtaken(logs, ttl_us)
    free = nobody_idle(logs, ttl_us) if idle else 0
    ended = places_kept_and_nobody_lost(logs, ttl_us)
    return {"rooms": rooms, "answers": answers, "matches": matches, "free": free, "ended": ended}


def in_one_place(logs: Logs, ttl_us: int) -> int:
    """Law 1: no two agents have one visitor at the same moment. Return how many rooms were seen."""
    spans: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for agent, told in logs.agents.items():
        for visit, (begin, end) in _rooms_of(told, ttl_us):
            spans[visit].append((begin, end, agent))
    for visit, its in spans.items():
        its.sort()
        for one, other in itertools.combinations(its, 2):
            if one[2] != other[2] and max(one[0], other[0]) < min(one[1], other[1]):
                raise BrokenLawError(f"law 1: {visit} is with {one[2]} and with {other[2]}")
    for visit, answers in logs.visits.items():
        for answer in answers:
            for begin, end, agent in spans.get(visit, ()):
                inside = begin <= answer["t0"] and answer["t1"] <= end
                if inside and answer["answer"] in ("waiting", "away"):
                    raise BrokenLawError(f"law 1: {visit} waits, and is with {agent}")
    return sum(map(len, spans.values()))


def _rooms_of(told: Sequence[dict[str, Any]], ttl_us: int) -> list[tuple[str, Span]]:
    """Return rooms that successive answers have: from the first answer to the last request."""
    open_spans: dict[str, list[int]] = {}
    done: list[tuple[str, Span]] = []
    before = 0
    for answer in told:
        has = set(answer["rooms"])
        if answer["t1"] - before > ttl_us:
            has = set()  # not heard for too long: it may have lost the room and got it again
        for visit in [visit for visit in open_spans if visit not in has]:
            begin, end = open_spans.pop(visit)
            done.append((visit, (begin, end)))
        for visit in answer["rooms"]:
            span = open_spans.setdefault(visit, [answer["t1"], answer["t0"]])
            span[1] = answer["t0"]
        before = answer["t0"]
    done += [(visit, (begin, end)) for visit, (begin, end) in open_spans.items()]
    return [(visit, span) for visit, span in done if span[0] < span[1]]


def within_capacity(logs: Logs) -> int:
    """Law 2: no agent has more rooms, offers and wrap-ups than its capacity."""
    for agent, told in logs.agents.items():
        for answer in told:
            if answer["used"] > answer["capacity"]:
                raise BrokenLawError(f"law 2: agent {agent} has {answer['rooms']}")
            if answer["state"] == "offline" and answer["rooms"]:
                raise BrokenLawError(f"law 2: agent {agent} is offline with {answer['rooms']}")
    return sum(map(len, logs.agents.values()))


def nobody_idle(logs: Logs, ttl_us: int) -> int:
    """Law 3: no answer shows an agent free while a visitor certainly waits in its queue."""
    waits = _sure_waits(logs, ttl_us)
    judged = 0
    free = [
        (answer["t0"], answer["t1"], agent, set(answer["queues"]))
        for agent, told in logs.agents.items()
        for answer in told
        if answer["state"] == "online" and not answer["pending"]
        if answer["used"] < answer["capacity"]
    ]
    longest = max((end - begin for begin, end, *_ in waits), default=0)
    begins = [wait[0] for wait in waits]
    for asked, heard, agent, queues in free:
        judged += 1
        for begin, end, visit, queue in _around(waits, begins, asked, longest):
            if begin <= asked and heard <= end and queue in queues:
                raise BrokenLawError(f"law 3: {visit} waits while agent {agent} is free")
    return judged


def not_overtaken(logs: Logs, ttl_us: int) -> int:
    """Law 4: no visitor is matched while an earlier one of the same queue certainly waits."""
    waits = _sure_waits(logs, ttl_us)
    begins = [wait[0] for wait in waits]
    longest = max((end - begin for begin, end, *_ in waits), default=0)
    ticket = {visit: answers[0]["ticket"] for visit, answers in logs.visits.items()}
    judged = 0
    for visit, answers in logs.visits.items():
        for before, after in itertools.pairwise(answers):
            if before["answer"] != "waiting" or after["answer"] != "room":
                continue
            judged += 1
            queue = answers[0]["queue"]
            for begin, end, other, its in _around(waits, begins, before["t0"], longest):
                earlier = its == queue and ticket[other] < ticket[visit]
                if earlier and begin <= before["t0"] and after["t1"] <= end:
                    raise BrokenLawError(f"law 4: {visit} was served before {other}")
    return judged


def places_kept_and_nobody_lost(logs: Logs, ttl_us: int) -> int:
    """Law 4: a ticket never changes, and only silent visitors are lost. Return the ended ones."""
    ended = 0
    for visit, answers in logs.visits.items():
        tickets = {answer["ticket"] for answer in answers if answer["ticket"]}
        if len(tickets) > 1:
            raise BrokenLawError(f"law 4: {visit} had the places {sorted(tickets)}")
        for before, after in itertools.pairwise(answers):
            if before["answer"] == "ended":
                break
            if after["answer"] == "gone":
                raise BrokenLawError(f"law 4: {visit} is gone")
            lost = after["answer"] == "ended" and "lost" in after["word"]
            if lost and after["t1"] - before["t0"] < ttl_us:
                raise BrokenLawError(f"law 4: {visit} was lost though it was there")
        ended += answers[-1]["answer"] == "ended"
    return ended


def _sure_waits(logs: Logs, ttl_us: int) -> list[tuple[int, int, str, Any]]:
    """Return every span in which a visit certainly waited, with visit and queue, by beginning.

    While an agent may be lost nothing is certain: a visit can be given to it and come back to its
    place between two answers that both say "waiting".
    """
    losses = [span for told in logs.agents.values() for span in _losses(told, ttl_us)]
    return sorted(
        (begin, end, visit, answers[0]["queue"])
        for visit, answers in logs.visits.items()
        for begin, end in _waits(answers, ttl_us)
        if not any(lost < end and begin < heard for lost, heard in losses)
    )


def _losses(told: Sequence[dict[str, Any]], ttl_us: int) -> list[Span]:
    """Return when an agent may have been lost: silent for longer than the TTL, until heard."""
    ends = [*(answer["t1"] for answer in told[1:]), sys.maxsize]
    spans = ((answer["t0"] + ttl_us, end) for answer, end in zip(told, ends, strict=True))
    return [(begin, end) for begin, end in spans if begin < end]


def _waits(answers: Sequence[dict[str, Any]], ttl_us: int) -> list[Span]:
    """Return spans in which a visit waited and was present: between two such answers in a row."""
    return [
        (before["t1"], after["t0"])
        for before, after in itertools.pairwise(answers)
        if before["answer"] == after["answer"] == "waiting"
        if before["t1"] < after["t0"] < before["t0"] + ttl_us
    ]


def _around(
    waits: Sequence[tuple[int, int, str, Any]], begins: Sequence[int], at: int, longest: int
) -> Iterable[tuple[int, int, str, Any]]:
    """Return the waits that may contain a moment."""
    return waits[bisect_left(begins, at - longest) : bisect_right(begins, at)]
