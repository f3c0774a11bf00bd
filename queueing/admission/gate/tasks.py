"""Tasks: opens and closes batches, loads tasks, processes reports of devices."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from poolsite.hotpath import Command
from queueing.admission.gate.building import gate_command
from queueing.admission.gate.permits import number
from queueing.admission.gate.reasons import check

ROWS_LIMIT: Final = 500  # tasks in one call of load
REPORTS_LIMIT: Final = 32  # reports in one script call
RESULTS_LIMIT: Final = 32  # results in one report
TEXT_LIMIT: Final = 8_192  # bytes of a payload, and of a result's data


@dataclass(frozen=True, slots=True)
class StoredTask:
    """A task as stored in SQL. `running`: it was issued before Redis lost it."""

    task: int
    device: str
    payload: str
    attempt: int = 1
    token: int = 0
    running: bool = False


def load(slug: str, batch: int, rows: Sequence[StoredTask]) -> Command[tuple[int, int]]:
    """Add up to ROWS_LIMIT tasks. Existing tasks are not changed.

    Return how many were added, and how many were refused because their device has 100.
    """
    args: list[str | int] = [batch]
    for row in rows:
        args += [row.task, row.device, row.payload, row.attempt]
        args.append(f"{row.token:016d}" if row.token else "")
        args.append(int(row.running))

    def read(reply: list[str]) -> tuple[int, int]:
        check(reply)
        return int(reply[1]), int(reply[2])

    return gate_command("load", slug, args, read, str(batch))


def _reason(reply: list[str]) -> str:
    return check(reply)[3]


def batch_open(slug: str, batch: int, ends_us: int, opens_us: int | None = None) -> Command[str]:
    """Announce a batch and its window to the gate. Return "repeat" if it knows the batch.

    No task is issued before `opens_us`. From then until `batch_loaded`, the reply to devices
    without a task is that tasks are loading. None: the window is open now, and no device waits for
    loading.
    """
    opens = "" if opens_us is None else f"{opens_us:016d}"
    args = ["open", str(batch), f"{ends_us:016d}", "", opens]
    return gate_command("batch", slug, args, _reason, str(batch))


def batch_loaded(slug: str, batch: int) -> Command[str]:
    """Report that all tasks of a batch are loaded. Return "repeat" if that is known."""
    return gate_command("batch", slug, ["loaded", str(batch), "", ""], _reason, str(batch))


def batch_extend(slug: str, batch: int, ends_us: int, reason: str = "") -> Command[str]:
    """Change the end of a batch's window."""
    args = ["extend", str(batch), f"{ends_us:016d}", reason]
    return gate_command("batch", slug, args, _reason, str(batch))


def batch_pause(slug: str, batch: int, reason: str) -> Command[str]:
    """Issue none of the batch's tasks until it is resumed. Running tasks finish."""
    return gate_command("batch", slug, ["pause", str(batch), "", reason], _reason, str(batch))


def batch_resume(slug: str, batch: int, reason: str = "") -> Command[str]:
    return gate_command("batch", slug, ["resume", str(batch), "", reason], _reason, str(batch))


def batch_cancel(slug: str, batch: int, reason: str) -> Command[str]:
    """Close pending tasks permanently. Running tasks finish, without another attempt."""
    return gate_command("batch", slug, ["cancel", str(batch), "", reason], _reason, str(batch))


# -- reports ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """A device's result of a task. `data`: JSON without control characters, or ""."""

    task: int
    token: int
    ok: bool
    took_ms: int | None = None
    data: str = ""

    def arguments(self) -> list[str]:
        return [
            *(str(self.task), f"{self.token:016d}", str(int(self.ok))),
            *("" if self.took_ms is None else str(self.took_ms), self.data),
        ]


@dataclass(frozen=True, slots=True)
class DeviceReport:
    """A device's report. `renew`: the token of the task that it continues."""

    device: str
    results: tuple[Result, ...] = ()
    renew: int | None = None

    def arguments(self) -> list[str]:
        arguments = [self.device, "" if self.renew is None else f"{self.renew:016d}"]
        for result in self.results:
            arguments += result.arguments()
        return arguments


@dataclass(frozen=True, slots=True)
class ReportReply:
    """The reply to a report.

    `word`: task, wait, none. `until_us`: when the device must stop (the permit's deadline minus the
    margin). `results`: (task, accepted | repeat | late | unknown task | unknown token). `now_us`:
    the gate's time.
    """

    word: str
    task: int | None
    payload: str
    token: int | None
    until_us: int | None
    attempt: int | None
    retry_seconds: int
    place: int | None
    estimate_seconds: int | None
    reason: str
    results: tuple[tuple[int, str], ...] = ()
    now_us: int = 0


def reports(slug: str, batch: Sequence[DeviceReport]) -> Command[list[ReportReply]]:
    """Return a command for up to REPORTS_LIMIT reports of a gate, processed in order.

    It may be run again after a lost reply: results count once, and a task is issued once. Raise
    ValueError if the batch is empty or too long.
    """
    if not 0 < len(batch) <= REPORTS_LIMIT:
        raise ValueError(f"a batch has 1 to {REPORTS_LIMIT} reports, not {len(batch)}")
    arguments: list[str] = []
    for report in batch:
        own = report.arguments()
        arguments += [str(len(own)), *own]

    def read(reply: list[str]) -> list[ReportReply]:
        check(reply)
        told, place = [], 0
        while place < len(reply):
            count = int(reply[place])
            told.append(_told(reply[place + 1 : place + 1 + count]))
            place += count + 1
        return told

    return gate_command("report", slug, arguments, read, batch[0].device)


def _told(fields: Sequence[str]) -> ReportReply:
    return ReportReply(
        word=fields[0],
        task=number(fields[1]),
        payload=fields[2],
        token=number(fields[3]),
        until_us=number(fields[4]),
        attempt=number(fields[5]),
        retry_seconds=int(fields[6]),
        place=number(fields[7]),
        estimate_seconds=number(fields[8]),
        reason=fields[9],
        results=tuple(
            (int(task), outcome)
            for task, outcome in zip(fields[10:-1:2], fields[11:-1:2], strict=True)
        ),
        now_us=int(fields[-1]),
    )
