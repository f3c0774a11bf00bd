"""Two SIPp at both ends of a Kamailio: a file of calls for the caller, and both logs."""

import itertools
import random
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from poolsite.runtime.parent import die_with_parent
from tests.integrations.kamailio.stage import FOLDER, Stage
from tests.support.ports import free_port
from tests.support.processes import end
from tests.support.waiting import until

SCENARIOS = FOLDER / "sipp"
CREATED_PER_SECOND = 1_000  # SIPp creates all calls first; each then waits for its moment
_RULE = re.compile(r"^-{20,} (\S+ \S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Planned:
    """A call: seconds from the start until its INVITE, and how long it is held."""

    start: float
    hold: float


def poisson_calls(chance: random.Random, count: int, rate: float, hold: float) -> list[Planned]:
    """Return calls with random arrivals, `rate` a second, that are held exponentially long."""
    starts = sorted(chance.uniform(0, count / rate) for _ in range(count))
    return [Planned(start, chance.expovariate(1 / hold)) for start in starts]


@dataclass
class Seen:
    """What both ends logged of one call. Times are in seconds, 0 means it did not happen."""

    number: str = ""
    begun: float = 0.0  # the callee received the INVITE
    acknowledged: float = 0.0  # the callee received the ACK: from here on it is a call
    ended: float = 0.0  # the later of: the caller sent its BYE, the callee answered it
    refused: float = 0.0  # the caller received a 503


@dataclass
class Ends:
    """The two running SIPp and their logs."""

    stage: Stage
    folder: Path
    caller: "subprocess.Popen[bytes]"
    callee: "subprocess.Popen[bytes]"
    calls: int = field(default=0)

    def finished(self) -> bool:
        return self.caller.poll() is not None

    def seen(self) -> dict[str, Seen]:
        """Read both logs, call by call."""
        calls: dict[str, Seen] = defaultdict(Seen)
        for when, way, text in messages(self.folder / "callee.log"):
            call, start = calls[_header(text, "Call-ID")], text.partition("\n")[0].strip()
            if way == "received" and start.startswith("INVITE"):
                call.begun = call.begun or when
                call.number = _user(_header(text, "From"))
            elif way == "received" and start.startswith("ACK"):
                call.acknowledged = call.acknowledged or when
            elif way == "sent" and _header(text, "CSeq").endswith("BYE"):
                call.ended = max(call.ended, when)
        for when, way, text in messages(self.folder / "caller.log"):
            call, start = calls[_header(text, "Call-ID")], text.partition("\n")[0].strip()
            if way == "received" and start.startswith("SIP/2.0 503"):
                call.refused = when
            elif way == "sent" and start.startswith("BYE") and not call.ended:
                call.ended = when
        return calls


@contextmanager
def running(stage: Stage, calls: Sequence[Planned]) -> Iterator[Ends]:
    """Run both ends with these calls. They are ended when the block is left."""
    folder = stage.folder.parent / "sipp"
    folder.mkdir()
    lines = ["SEQUENTIAL"]
    for index, call in enumerate(calls):
        start = 3.0 + call.start - index / CREATED_PER_SECOND
        lines.append(f"{max(start, 0) * 1000:.0f};{call.hold * 1000:.0f}")
    (folder / "calls.csv").write_text("\n".join(lines) + "\n")
    callee = _sipp(folder, "callee", f"-p {stage.callee_port}".split())
    caller = None
    try:
        until(lambda: (folder / "callee.out").exists())
        words = f"127.0.0.1:{stage.sip_port} -s 13912345678 -m {len(calls)} -l {len(calls)}"
        words += f" -p {free_port()} -r {CREATED_PER_SECOND} -inf {folder / 'calls.csv'}"
        caller = _sipp(folder, "caller", words.split())
        yield Ends(stage, folder, caller, callee, len(calls))
    finally:
        end(*filter(None, (caller, callee)))


def _sipp(folder: Path, name: str, words: list[str]) -> "subprocess.Popen[bytes]":
    # -aa: it answers the keep-alive's OPTIONS; otherwise it takes them for a fault and hangs up.
    common = f"-sf {SCENARIOS / name}.xml -i 127.0.0.1 -nostdin -trace_msg -trace_err -aa"
    files = f"-message_file {folder}/{name}.log -error_file {folder}/{name}.err"
    with (folder / f"{name}.out").open("wb") as out:
        return subprocess.Popen(
            ["sipp", *words, *common.split(), *files.split()],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            preexec_fn=die_with_parent,
        )


def messages(log: Path) -> Iterator[tuple[float, str, str]]:
    """Yield (time, "sent" or "received", text) of each message that SIPp has logged."""
    parts = _RULE.split(log.read_text(errors="replace"))[1:]
    for stamp, body in zip(parts[::2], parts[1::2], strict=True):
        head, _, text = body.strip().partition("\n")
        way = "sent" if "sent" in head else "received"
        yield datetime.fromisoformat(stamp).timestamp(), way, text.strip()


def _header(text: str, name: str) -> str:
    found = re.search(rf"^{name}:\s*(.*?)\s*$", text, re.MULTILINE | re.IGNORECASE)
    return found[1] if found else ""


def _user(address: str) -> str:
    found = re.search(r"sip:([^@]+)@", address)
    return found[1] if found else ""


def overlaps(calls: dict[str, Seen]) -> list[str]:
    """Return each pair of calls that had one number at once, without tolerance.

    A call lasts from the INVITE at the callee to the last of its ends' BYE and answer. One that was
    never acknowledged does not count.
    """
    by_number: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    for name, call in calls.items():
        if call.acknowledged:
            by_number[call.number].append((call.begun, call.ended or float("inf"), name))
    found = []
    for number, its in by_number.items():
        for before, after in itertools.pairwise(sorted(its)):
            if before[1] > after[0]:
                found.append(f"{number}: {before} and {after}")
    return found


def blocked_in_model(calls: Sequence[Planned], lines: int) -> int:
    """Return how many of these calls a system of `lines` refuses by Erlang's own rules."""
    busy: list[float] = []
    blocked = 0
    for call in calls:
        busy = [until_then for until_then in busy if until_then > call.start]
        if len(busy) == lines:
            blocked += 1
        else:
            busy.append(call.start + call.hold)
    return blocked
