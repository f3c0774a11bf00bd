"""How far the books in SQL are behind Redis, per shard, and whether the audit is green."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily, Metric

from billing.models import AuditRun, MoneyOrder, Wallet, WriterRun
from poolsite.jobs import sweeping

PERSIST = "billing.persist"


@dataclass(frozen=True)
class ShardLag:
    """One shard of the persistence. `age_seconds` is None if it never ran.

    `lag_seconds` is how long the oldest entry of the shard's last turn had waited. `left` counts
    the accounts that had more entries than one turn takes.
    """

    shard: int
    age_seconds: float | None
    duration_ms: int
    accounts: int
    entries: int
    left: int
    lag_seconds: int
    faults: int
    refused: int
    error: str

    @property
    def is_late(self) -> bool:
        """Whether no turn ran on the shard for three intervals."""
        limit = 3 * settings.BILLING_PERSIST_SECONDS + 30
        return self.age_seconds is None or self.age_seconds > limit

    @property
    def waiting_seconds(self) -> float:
        """How long a change may have waited: since the last turn, if the next one is late."""
        return max(self.lag_seconds, self.age_seconds or 0.0) if self.is_late else self.lag_seconds


def shard_lags() -> list[ShardLag]:
    """Return every shard, in order. This reads the results of the turns, not the wallets."""
    runs = sweeping.last_runs(PERSIST)
    now = time.time()
    found = []
    for shard in range(settings.BILLING_SHARDS):
        run = runs.get(shard)
        result = run.result if run else {}
        figures = {
            name: int(result.get(name, 0))
            for name in ("accounts", "entries", "left", "lag_seconds", "faults", "refused")
        }
        found.append(
            ShardLag(
                shard=shard,
                age_seconds=now - run.at if run else None,
                duration_ms=run.duration_ms if run else 0,
                error=run.error if run else "",
                **figures,
            )
        )
    return found


def recent_runs(limit: int = 50) -> list[WriterRun]:
    """Return the latest turns that wrote something."""
    return list(WriterRun.objects.order_by("-pk")[:limit])


@dataclass(frozen=True)
class AuditState:
    """The audit's result: green, or the differences.

    `ended_at` is when the last complete audit run ended, or None if none did yet.
    """

    is_green: bool
    differences: dict[str, str]
    ended_at: datetime | None
    wallets: int
    running: bool

    @property
    def first(self) -> str:
        """The text of the first difference."""
        return next(iter(self.differences.values()), "")


def audit_state() -> AuditState:
    """Return the result of the background audit: its last complete run, and findings since then."""
    runs = list(AuditRun.objects.order_by("-pk")[:2])
    whole = next((run for run in runs if run.ended_at), None)
    current = next((run for run in runs if not run.ended_at), None)
    differences: dict[str, str] = {}
    for run in (whole, current):
        if run is not None:
            differences |= run.differences
    return AuditState(
        is_green=not differences and whole is not None and not whole.different,
        differences=differences,
        ended_at=whole.ended_at if whole else None,
        wallets=whole.wallets if whole else 0,
        running=current is not None,
    )


@dataclass(frozen=True)
class OutboxState:
    """Orders that Redis has not applied yet."""

    waiting: int
    oldest_seconds: float


def outbox_state() -> OutboxState:
    """Return the number of money orders that wait, and the age of the oldest."""
    rows = MoneyOrder.objects.filter(applied_at=None, cancelled_at=None).order_by("created_at")
    oldest = rows.values_list("created_at", flat=True).first()
    if oldest is None:
        return OutboxState(0, 0.0)
    return OutboxState(rows.count(), (timezone.now() - oldest).total_seconds())


def recovering() -> list[Wallet]:
    """Return the wallets in safe mode, the oldest first."""
    rows = Wallet.objects.exclude(recovering_since=None).select_related("account")
    return list(rows.order_by("recovering_since"))


def last_persisted() -> datetime | None:
    """Return when entries of any account were last written."""
    recent = Wallet.objects.filter(persisted_at__gt=timezone.now() - timedelta(days=1))
    found: datetime | None = recent.aggregate(found=Max("persisted_at"))["found"]
    return found


def collect() -> Iterator[Metric]:
    """Yield the metrics for /metrics."""
    lag = GaugeMetricFamily(
        "poolsite_billing_persist_lag_seconds",
        "How long the oldest entry of the shard's last turn had waited, or, if the next turn is "
        "late, the time since then.",
        labels=["shard"],
    )
    left = GaugeMetricFamily(
        "poolsite_billing_persist_left_accounts",
        "Accounts with more entries than one turn takes.",
        labels=["shard"],
    )
    for shard in shard_lags():
        lag.add_metric([str(shard.shard)], shard.waiting_seconds)
        left.add_metric([str(shard.shard)], shard.left)
    yield from (lag, left)
    state = audit_state()
    audit = GaugeMetricFamily("poolsite_billing_audit_green", "1 = the books agree.")
    audit.add_metric([], float(state.is_green))
    differ = GaugeMetricFamily(
        "poolsite_billing_audit_different_accounts", "Accounts whose books don't agree."
    )
    differ.add_metric([], len(state.differences))
    outbox = outbox_state()
    waiting = GaugeMetricFamily("poolsite_billing_orders_waiting", "Money orders not applied.")
    waiting.add_metric([], outbox.waiting)
    age = GaugeMetricFamily("poolsite_billing_orders_oldest_seconds", "Age of the oldest.")
    age.add_metric([], outbox.oldest_seconds)
    safe = GaugeMetricFamily("poolsite_billing_safe_mode_accounts", "Accounts in safe mode.")
    safe.add_metric([], Wallet.objects.exclude(recovering_since=None).count())
    yield from (audit, differ, waiting, age, safe)
