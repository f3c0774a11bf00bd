"""The switches' own log of calls, and the check that reads it.

A call begins in the log when the switch has learnt its number, and ends before the switch reports
the end. In between, the number is really in use. Two such spans that overlap on one number are the
failure that the pool exists to prevent.
"""

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

SPAN = ("begin", "end")  # the lines that show when a number is in use


@dataclass(frozen=True)
class Overlap:
    """Two calls that had the same number at the same time."""

    number: str
    first_call_id: str
    second_call_id: str
    at_us: int


class CallLog:
    """Appends one JSON line for each begin and end. It stores none in memory."""

    def __init__(self, path: Path | None) -> None:
        self._file: TextIO | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a", buffering=1)

    def begin(self, *, switch: str, number: str, call_id: str) -> None:
        self._write("begin", switch, number=number, call_id=call_id)

    def end(self, *, switch: str, number: str, call_id: str) -> None:
        self._write("end", switch, number=number, call_id=call_id)

    def released(
        self, *, switch: str, number: str, call_id: str, told: Mapping[str, object], reason: str
    ) -> None:
        """Log that the pool answered a hang-up. `told` is what it was sent, `reason` its answer."""
        self._write(
            "released", switch, number=number, call_id=call_id, told=dict(told), reason=reason
        )

    def listed(self, *, switch: str) -> None:
        """Log that the pool answered a live list, so that it knows this switch."""
        self._write("listed", switch)

    def _write(self, operation: str, switch: str, **facts: object) -> None:
        if self._file is None:
            return
        line = {"at_us": time.time_ns() // 1000, "op": operation, "switch": switch, **facts}
        self._file.write(json.dumps(line) + "\n")

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


def end_open_calls(path: Path) -> int:
    """Log the end of every open call of a switch that was killed. Return how many there were.

    A dead switch has no calls, but it could not log their end.
    """
    open_calls: dict[str, dict[str, str]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        record = json.loads(line)
        if record["op"] == "begin":
            open_calls[record["call_id"]] = record
        elif record["op"] == "end":
            open_calls.pop(record["call_id"], None)
    log = CallLog(path)
    for record in open_calls.values():
        log.end(switch=record["switch"], number=record["number"], call_id=record["call_id"])
    log.close()
    return len(open_calls)


def find_overlaps(lines: Iterable[str]) -> list[Overlap]:
    """Return every pair of calls that had the same number at once, in the order of the log.

    Lines of several logs can be passed together. They are sorted by time first. In the same
    microsecond, ends come before begins.
    """
    known = (json.loads(line) for line in lines if line.strip())
    records = [record for record in known if record["op"] in SPAN]
    records.sort(key=lambda record: (record["at_us"], record["op"] == "begin"))
    in_use: dict[str, str] = {}
    overlaps = []
    for record in records:
        number, call_id = record["number"], record["call_id"]
        holder = in_use.get(number)
        if record["op"] == "end":
            if holder == call_id:
                del in_use[number]
        elif holder is not None and holder != call_id:
            overlaps.append(Overlap(number, holder, call_id, record["at_us"]))
        else:
            in_use[number] = call_id
    return overlaps
