"""What the overview, the incidents page, the system page and the search read. Tenant-safe."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import structlog
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from poolsite import access, hotpath, timers
from poolsite.access.principal import Principal
from poolsite.history import selectors as history_selectors
from poolsite.history.models import GapRecord
from poolsite.jobs import presence, queues, sweeping
from poolsite.jobs.models import Job
from poolsite.jobs.registry import sweeps
from poolsite.operations import attention, health
from poolsite.operations.incidents import Trouble
from poolsite.operations.models import Incident, Notice, NoticeTarget, OutgoingCall
from poolsite.operations.registry import CARDS, SEARCHES, STATS, Card, CardData, Found, Stat
from poolsite.operations.registry import StatEntry as Entry

LOG = structlog.get_logger(__name__)
SEARCH_LONGEST = 128
SEARCH_LIMIT = 8
MOST_STATS = 6


def open_incidents(principal: Principal) -> QuerySet[Incident]:
    """Open incidents that the principal may see, worst first, then oldest."""
    return _visible(principal).filter(until=None).order_by("severity", "since")


def causes(principal: Principal) -> list[attention.Cause]:
    """What needs attention of what the principal may see, critical first, then oldest.

    Operators' has the platform's health as it is now.
    """
    if principal.is_operator:
        return attention.causes(None)
    return attention.by_cause(open_incidents(principal)[: attention.MOST_ROWS])


def incidents(
    principal: Principal, *, state: str = "", severity: str = "", text: str = ""
) -> QuerySet[Incident]:
    """The incidents that the principal may see: ended ones, or with state `open` or `all` others.

    text: what their object begins with.
    """
    rows = _visible(principal)
    if state != "all":
        rows = rows.filter(until__isnull=state == "open")
    if severity:
        rows = rows.filter(severity=severity)
    return rows.filter(object__istartswith=text) if text else rows


def incident(principal: Principal, incident_id: int) -> Incident:
    """One incident; raises the answers of access for a foreign or missing one."""
    found = Incident.objects.filter(pk=incident_id).first()
    if found is None:
        raise access.Hidden
    access.require(principal, "operations.incidents", found)
    return found


def _visible(principal: Principal) -> QuerySet[Incident]:
    if principal.is_operator:
        return Incident.objects.all()
    managed = [
        account for account, roles in principal.memberships.items() if roles & {"owner", "admin"}
    ]
    return Incident.objects.filter(account_id__in=managed)


def scope_of(principal: Principal) -> str:
    """The key of the incidents' topic that this reader watches: `all`, or an account's id."""
    if principal.is_operator:
        return "all"
    return str(min(principal.memberships, default="none"))


# -- the overview -----------------------------------------------------------------------------


def cards(principal: Principal) -> list[tuple[Card, CardData]]:
    """Every card that has something for this reader; one that fails says so by itself."""
    found = []
    for card in sorted(CARDS.values(), key=lambda card: (card.order, card.name)):
        data = _loaded(card.name, card.load, principal)
        if data is not None:
            found.append((card, data))
    return found


def stats(principal: Principal) -> list[tuple[Entry, Stat]]:
    """The headline figures, at most six."""
    found = []
    for entry in sorted(STATS.values(), key=lambda entry: (entry.order, entry.name)):
        stat = _loaded(entry.name, entry.load, principal)
        if stat is not None:
            found.append((entry, stat))
    return found[:MOST_STATS]


def _loaded(name: str, load: Callable[..., Any], *arguments: Any) -> Any:
    """One part of a page; it fails by itself, and the page shows the others."""
    try:
        return load(*arguments)
    except Exception as error:
        LOG.warning("overview.part_failed", part=name, error=str(error))
        return None


# -- the search -------------------------------------------------------------------------------


def search(principal: Principal, text: str) -> list[Found]:
    """Find things by their exact name or the beginning of it; exact ones first."""
    wanted = text.strip()[:SEARCH_LONGEST]
    if not wanted or "\x00" in wanted:
        return []
    found: list[Found] = []
    for name, provider in SEARCHES.items():
        some = _loaded(name, provider, principal, wanted, SEARCH_LIMIT)
        found.extend(islice(some or (), SEARCH_LIMIT))
    return sorted(found, key=lambda each: not each.exact)


# -- the system page --------------------------------------------------------------------------


@dataclass(frozen=True)
class SweepRow:
    """One sweep on the system page. `age_seconds` is of its slowest shard; None = never ran."""

    name: str
    every_seconds: int
    shards: int
    age_seconds: float | None
    duration_ms: int
    result: dict[str, Any]
    error: str

    @property
    def late(self) -> bool:
        """Whether it should have run by now."""
        return self.age_seconds is None or self.age_seconds > self.every_seconds * 2 + 30

    @property
    def result_text(self) -> str:
        """What the last run did, e.g. "entries 120, lag 0"."""
        return ", ".join(f"{name} {value}" for name, value in self.result.items())


def sweep_rows() -> list[SweepRow]:
    """Every sweep with what its last run did, late ones first."""
    now = time.time()
    rows = []
    for sweep in sweeps().values():
        runs = list(sweeping.last_runs(sweep.name).values())
        total: dict[str, Any] = {}
        for run in runs:
            for name, value in run.result.items():
                before = total.get(name, 0)
                summed = isinstance(value, int | float) and isinstance(before, int | float)
                total[name] = before + value if summed else value
        rows.append(
            SweepRow(
                sweep.name,
                sweep.every_seconds,
                sweep.shards,
                now - min(run.at for run in runs) if runs else None,
                max((run.duration_ms for run in runs), default=0),
                total,
                next((run.error for run in runs if run.error), ""),
            )
        )
    return sorted(rows, key=lambda row: (not row.late, not row.error, row.name))


def system() -> dict[str, Any]:
    """The system page's data; a part that cannot be read is None, the others still show."""
    return {
        "checked_at": timezone.now(),
        "redis": _loaded("redis", redis_state),
        "health_rows": health_rows(),
        "workers": _loaded("workers", presence.workers),
        "queues": _loaded("queues", queues.queues),
        "timers": _loaded("timers", timers.read_state),
        "paused_reason": _loaded("paused", sweeping.paused_reason),
        "sweeps": _loaded("sweeps", sweep_rows),
        "lags": _loaded("lags", lambda: history_selectors.lags()[:20]),
        "gaps": _loaded("gaps", lambda: list(GapRecord.objects.order_by("-pk")[:20])),
        "jobs": _loaded("jobs", lambda: list(Job.objects.select_related("actor")[:20])),
        "targets": _loaded("targets", lambda: list(NoticeTarget.objects.order_by("pk")[:100])),
        "pending_notices": _loaded("notices", _pending),
        "calls": _loaded("calls", lambda: list(OutgoingCall.objects.order_by("-pk")[:50])),
    }


def health_rows() -> list[dict[str, Any]]:
    """Each check of the platform's health as the system page shows it.

    `told`: whether the row has to say all of its trouble, which a row before it may have done.
    """
    rows: list[dict[str, Any]] = []
    troubles: list[Trouble] = []
    for answer in health.read().answers:
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
    return rows


def redis_state() -> dict[str, Any]:
    """Version, memory, clients and commands per second of the hot path's Redis."""
    client = hotpath.client()
    if hasattr(client, "get_primaries"):
        answers: Sequence[dict[str, Any]] = list(client.info(target_nodes="primaries").values())
    else:
        answers = [client.info()]
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
