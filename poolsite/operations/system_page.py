"""What the system page reads: Redis, sweeps, workers, queues, outgoing requests."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

# register the platform's own sweeps where this page is served, like those of apps
import poolsite.history.tasks
import poolsite.jobs.tasks
import poolsite.operations.tasks  # noqa: F401
from poolsite import timers
from poolsite.history import selectors as history_selectors
from poolsite.history.models import GapRecord
from poolsite.jobs import presence, queues, sweeping, sweeps
from poolsite.jobs.descriptions import TROUBLES
from poolsite.jobs.models import Job
from poolsite.jobs.registry import Sweep
from poolsite.jobs.sweeping import LastRun
from poolsite.operations import health, redis_info
from poolsite.operations.incidents import Trouble
from poolsite.operations.models import Notice, OutgoingCall
from poolsite.operations.selectors import loaded

MOST_CALLS = 50
WORST = ("failed", "late", "never", "paused", "partly", "well")  # the states, in order


@dataclass(frozen=True)
class SweepRow:
    """A sweep on the system page, with all its shards. runs: by shard, {} if it never ran."""

    sweep: Sweep
    runs: dict[int, LastRun]
    now: float

    @property
    def name(self) -> str:
        """The sweep's name in code and logs."""
        return self.sweep.name

    @property
    def app(self) -> str:
        """The app that the sweep belongs to."""
        return self.name.partition(".")[0]

    @property
    def age_seconds(self) -> float | None:
        """How long ago its slowest shard ran, or None if it never ran."""
        if not self.runs:
            return None
        return max(0.0, self.now - min(run.at for run in self.runs.values()))

    @property
    def next_seconds(self) -> float | None:
        """In how many seconds it is due again: 0 if it is due now, None if it never ran."""
        if self.age_seconds is None:
            return None
        return max(0.0, self.sweep.every_seconds - self.age_seconds)

    @property
    def duration_ms(self) -> int:
        """How long the slowest shard took."""
        return max((run.duration_ms for run in self.runs.values()), default=0)

    @property
    def error(self) -> str:
        """The error of a shard, or "" if none failed."""
        return next((run.error for run in self.runs.values() if run.error), "")

    @property
    def late(self) -> bool:
        """Whether it should already have run."""
        age = self.age_seconds
        return age is None or age > self.sweep.every_seconds * 2 + 30

    @property
    def result(self) -> dict[str, Any]:
        """The results of all shards, added up."""
        total: dict[str, Any] = {}
        for run in self.runs.values():
            for name, value in run.result.items():
                before = total.get(name, 0)
                summed = isinstance(value, int | float) and isinstance(before, int | float)
                total[name] = before + value if summed else value
        return total

    @property
    def sentence(self) -> str:
        """What the last run did, in the active language."""
        return self.sweep.description.sentence(self.result) if self.runs else ""

    @property
    def state(self) -> str:
        """The state: one of WORST."""
        if self.error:
            return "paused" if self.error.startswith("paused:") else "failed"
        if self.late:
            return "late" if self.runs else "never"
        return "partly" if any(self.result.get(name) for name in TROUBLES) else "well"

    @property
    def chip(self) -> tuple[str, str, str]:
        """The state's label, its chip's class and its icon."""
        return {
            "failed": (_("Failed"), "chip--bad", "error"),
            "late": (pgettext("scheduled work", "Late"), "chip--warn", "schedule"),
            "never": (pgettext("scheduled work", "Never ran"), "chip--warn", "schedule"),
            "paused": (pgettext("scheduled work", "Paused"), "chip--warn", "pause"),
            "partly": (pgettext("scheduled work", "Partly failed"), "chip--warn", "warning"),
            "well": (pgettext("scheduled work", "On time"), "chip--ok", "check"),
        }[self.state]

    @property
    def raw(self) -> str:
        """What each shard recorded, as JSON."""
        said = {str(shard): run.result for shard, run in sorted(self.runs.items())}
        whole = said["0"] if list(said) == ["0"] else said
        return orjson.dumps(whole, option=orjson.OPT_INDENT_2, default=str).decode()


@dataclass(frozen=True)
class SweepGroup:
    """The sweeps of an app that are on time."""

    name: str
    label: str
    rows: list[SweepRow]

    @property
    def age_seconds(self) -> float:
        """How many seconds ago the latest of them ran."""
        return min(row.age_seconds or 0.0 for row in self.rows)


def group_label(app: str) -> str:
    """Return the label of an app."""
    return {
        "numbers": _("Numbers"),
        "line": _("Desks"),
        "admission": _("Gates"),
        "dispatch": _("Dispatcher"),
        "billing": _("Billing"),
    }.get(app, _("Platform"))


def sweep_rows() -> list[SweepRow]:
    """Return every sweep with the result of its last run, worst first."""
    now = time.time()
    rows = [SweepRow(each, sweeping.last_runs(each.name), now) for each in sweeps().values()]
    return sorted(rows, key=lambda row: (WORST.index(row.state), row.name))


def grouped(rows: Sequence[SweepRow]) -> list[SweepGroup]:
    """Group sweeps by the app that they belong to."""
    groups: dict[str, SweepGroup] = {}
    for row in rows:
        label = group_label(row.app)
        name = row.app if label != _("Platform") else "platform"
        groups.setdefault(name, SweepGroup(name, label, [])).rows.append(row)
    return sorted(groups.values(), key=lambda group: (group.name == "platform", group.label))


def system() -> dict[str, Any]:
    """Return the system page's data. A part that can't be read is None; the rest still shows."""
    rows = loaded("sweeps", sweep_rows)
    judged = health.read()
    return {
        "checked_at": judged.at,
        "now": timezone.now(),
        "redis": loaded("redis", redis_state),
        "health_rows": health_rows(judged),
        "workers": loaded("workers", presence.workers),
        "queues": loaded("queues", queues.queues),
        "timers": loaded("timers", timers.read_state),
        "paused_reason": loaded("paused", sweeping.paused_reason),
        "sweeps": rows,
        "troubled": [row for row in rows or () if row.state != "well"],
        "groups": grouped([row for row in rows or () if row.state == "well"]),
        "lags": loaded("lags", lambda: history_selectors.lags()[:20]),
        "gaps": loaded("gaps", lambda: list(GapRecord.objects.order_by("-pk")[:20])),
        "jobs": loaded("jobs", lambda: list(Job.objects.select_related("actor")[:20])),
        "pending_notices": loaded("notices", _pending),
        "calls": loaded("calls", _calls),
    }


def purpose_word(purpose: str) -> str:
    """Return the purpose of a request as text: an alert's event, or the logged purpose."""
    return {
        "notice.opened": _("Alert: problem"),
        "notice.worse": _("Alert: now critical"),
        "notice.closed": _("Alert: resolved"),
    }.get(purpose, purpose)


def _calls() -> list[tuple[OutgoingCall, str]]:
    rows = OutgoingCall.objects.order_by("-pk")[:MOST_CALLS]
    return [(call, purpose_word(call.purpose)) for call in rows]


def health_rows(judged: health.Health) -> list[dict[str, Any]]:
    """Return each health check as the system page shows it, those with trouble first.

    `told`: whether the row must show its trouble in full. It need not if an earlier row does.
    """
    rows: list[dict[str, Any]] = []
    troubles: list[Trouble] = []
    for answer in judged.answers:
        trouble = answer.trouble
        rows.append(
            {
                "name": answer.check.name,
                "label": answer.check.label,
                "value": answer.finding.value or (_("Failed") if trouble else _("Up")),
                "unit": answer.finding.unit,
                "severity": answer.severity,
                "incident": answer.incident(trouble) if trouble else None,
                "told": trouble not in troubles,
            }
        )
        troubles += [trouble] if trouble else []
    return sorted(rows, key=lambda row: not row["severity"])


def redis_state() -> dict[str, Any]:
    """Return version, memory, clients and commands per second of the hot path's Redis."""
    answers = list(redis_info.primaries().values())
    first = answers[0]
    return {
        "name": "Valkey" if "valkey_version" in first else "Redis",
        "version": first.get("valkey_version") or first.get("redis_version"),
        "nodes": len(answers),
        "memory_bytes": sum(int(info.get("used_memory", 0)) for info in answers),
        "clients": sum(int(info.get("connected_clients", 0)) for info in answers),
        "commands_per_second": sum(
            int(info.get("instantaneous_ops_per_sec", 0)) for info in answers
        ),
        "append_only": all(bool(info.get("aof_enabled")) for info in answers),
    }


def _pending() -> int:
    return Notice.objects.filter(state=Notice.State.PENDING).count()
