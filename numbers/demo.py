"""The demo's pools, as on a busy platform, and the data with which the simulator plays switches."""

import random
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from numbers.demo_past import BAD_OF, PAST_GENERATION, PoolPast, Traffic
from numbers.models import (
    CallRecord,
    HealthRule,
    MinuteSample,
    Number,
    Pool,
    Switch,
    SwitchKind,
)
from numbers.services import numbers_add, numbers_quarantine, pool_create, switch_create
from numbers.services.health_counting import count_ended
from numbers.services.health_rules import health_rule_create
from numbers.services.imports import import_now
from numbers.services.spam_labels import spam_labels_add
from poolsite.access.services import token_revoke
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation

SAMPLES = (
    Path(settings.BASE_DIR).parent / "shared" / "data" / "numbers-sample.csv",
    Path(settings.BASE_DIR) / "tests" / "data" / "numbers-sample.csv",
)
AGENTS = (
    *("Wang Fang", "Li Jun", "Zhao Min", "Chen Jie", "Liu Yang", "Yang Li", "Huang Wei"),
    *("Zhou Ting", "Wu Peng", "Xu Na", "Sun Qiang", "Ma Lin", "Zhu Hong", "Hu Bo", "Guo Xin"),
)


@dataclass(frozen=True)
class DemoPool:
    """One pool of the demo. `first` is its first number; None uses the sample file."""

    slug: str
    name: str
    account: str
    first: int | None
    count: int
    switches: int
    offered_erlangs: float
    mean_call_seconds: float
    quarantined: int = 0
    wait_milliseconds: int = 0
    settings: tuple[tuple[str, Any], ...] = ()
    callees: tuple[str, ...] = ()  # prefixes of the callees; () uses the simulator's


POOLS = (
    DemoPool(
        *("retail-east", "Retail East", "evergreen", 8613800130000, 600, 3, 480.0, 240.0, 12),
        settings=(("near", True), ("sticky_seconds", 7 * 86_400), ("daily_cap", 400)),
    ),
    DemoPool("bank-otp", "Bank one-time codes", "northbank", 8613900770000, 300, 2, 215.0, 75.0, 3),
    DemoPool(
        *("care-north", "Care North", "careline", 8615800210000, 200, 2, 120.0, 300.0),
        settings=(("cooldown_seconds", 10),),
    ),
    DemoPool(
        *("promo-west", "Promo West", "", 8618600040000, 120, 1, 112.0, 100.0),
        wait_milliseconds=3_000,
    ),
    DemoPool("national", "National (imported)", "", None, 0, 2, 1_200.0, 420.0),
    DemoPool(  # its calls are charged with the rates of billing/demo
        *("care-abroad", "Care Abroad (charged)", "careline", 8615800310000, 24, 1, 1.5, 90.0),
        settings=(("charged", True), ("charge_interval_seconds", 60)),
        callees=("+8610", "+8613", "+8621", "+8522", "+4930", "+4917"),
    ),
)
PAST_BATCH = 250
PAST_PAUSES = 2.0  # a pause is this many times as long as the transaction before it
CALLER_POOL, CALLER = "care-north", "asi"
HEALTH_POOL = "bank-otp"
SMALL_POOLS = (
    DemoPool(
        *("chaos-one", "Chaos one", "", 8613800130000, 60, 2, 50.0, 6.0),
        settings=(("lease_seconds", 12), ("suspect_seconds", 60)),
    ),
    DemoPool(
        *("chaos-two", "Chaos two", "", 8613900770000, 30, 2, 24.0, 4.0),
        wait_milliseconds=1_000,
        settings=(
            *(("near", True), ("sticky_seconds", 600), ("cooldown_seconds", 1)),
            *(("lease_seconds", 12), ("suspect_seconds", 60), ("restart_rest_seconds", 5)),
        ),
    ),
)


def make_pools(data: DemoData) -> None:
    """Create the pools, their numbers and switches. Existing ones stay as they are."""
    known = {pool["slug"]: pool for pool in read_simulation().get("pools", [])}
    plans = SMALL_POOLS if data.small else POOLS
    pools = [known.get(plan.slug) or _make(plan, data) for plan in plans]
    data.simulation["url"] = "http://127.0.0.1:8000"
    data.simulation["pools"] = pools
    data.simulation["mishaps"] = {"restart_every_seconds": 3_600.0}
    if not data.small:
        data.simulation["caller"] = read_simulation().get("caller") or _make_caller()
    if data.small:
        data.simulation["live_list_seconds"] = 2.0
        data.simulation["mishaps"] = {"restart_every_seconds": 120.0}


def _make(plan: DemoPool, data: DemoData) -> dict[str, Any]:
    """Create a pool and return the data with which the simulator plays its switches."""
    pool = Pool.objects.filter(slug=plan.slug).first() or pool_create(
        actor=ACTOR,
        slug=plan.slug,
        name=plan.name,
        account=data.accounts.get(plan.account),
        switch_interval_seconds=2 if data.small else 10,
        **dict(plan.settings),
    )
    _fill(pool, plan)
    _watch_health(pool)
    lines = list(Number.objects.filter(pool=pool).order_by("value").values_list("value", flat=True))
    return {
        "slug": plan.slug,
        "offered_erlangs": plan.offered_erlangs,
        "mean_call_seconds": plan.mean_call_seconds,
        "agents": list(AGENTS),
        "wait_milliseconds": plan.wait_milliseconds,
        **({"callee_prefixes": list(plan.callees)} if plan.callees else {}),
        "switches": _make_switches(pool, plan, lines),
    }


def _make_caller() -> dict[str, str]:
    """Create a separate switch for application servers that request numbers of a pool."""
    pool = Pool.objects.get(slug=CALLER_POOL)
    return {"pool": pool.slug, "switch": CALLER, "pool_token": _switch_token(pool, CALLER)}


def _fill(pool: Pool, plan: DemoPool) -> None:
    if Number.objects.filter(pool=pool).exists():
        return
    if plan.first is None:
        import_now(pool, next(path for path in SAMPLES if path.exists()), ACTOR)
        return
    values = [f"+{plan.first + index}" for index in range(plan.count)]
    numbers_add(actor=ACTOR, pool=pool, values=values)
    if plan.quarantined:
        held = values[90 : 90 + plan.quarantined]
        numbers_quarantine(
            actor=ACTOR, pool=pool, values=held, reason="Reported as spam by two carriers"
        )


def _watch_health(pool: Pool) -> None:
    """Give one pool a health rule, and reports of its worst numbers from two sources."""
    if pool.slug != HEALTH_POOL or HealthRule.objects.filter(pool=pool).exists():
        return
    health_rule_create(
        actor=ACTOR,
        pool=pool,
        name="Low answer rate",
        threshold=20.0,
        least_calls=30,
        daily_limit=3,
        pool_percent=5.0,
    )
    values = Number.objects.filter(pool=pool).order_by("value").values_list("value", flat=True)
    bad = [value for value in values if zlib.crc32(value.encode()) % BAD_OF == 0]
    seen_at = timezone.now().replace(microsecond=0)
    rows = [
        {"number": value, "source": source, "label": "Spam risk", "seen_at": seen_at}
        for source in ("Hiya", "TrueCaller")
        for value in bad
    ]
    spam_labels_add(actor=ACTOR, pool=pool, rows=enumerate(rows, 1))


def _make_switches(pool: Pool, plan: DemoPool, lines: Sequence[str]) -> list[dict[str, Any]]:
    """Create the switches. Each registers a block of the pool's numbers."""
    size = -(-len(lines) // plan.switches)
    made = []
    for index in range(plan.switches):
        name = f"fs-{index + 1:02d}"
        block = list(lines[index * size : (index + 1) * size])
        made.append({"name": name, "token": _switch_token(pool, name), "lines": block})
    return made


def _switch_token(pool: Pool, name: str) -> str:
    """Create a new token for the switch. Revoke the previous one, whose secret is lost."""
    known = Switch.objects.filter(pool=pool, name=name).select_related("token").first()
    if known is not None and known.token is not None and known.token.is_live:
        token_revoke(token=known.token, actor=ACTOR, reason="its secret was lost")
    # A restart of a simulated switch ends its calls.
    _, secret = switch_create(actor=ACTOR, pool=pool, name=name, kind=SwitchKind.MEDIA)
    return secret


def fill_past() -> None:
    """Create the simulated hour before the pools were created, once. See numbers/demo_past.py."""
    plans = {plan.slug: plan for plan in POOLS}
    pools = list(Pool.objects.filter(slug__in=plans).order_by("pk"))
    samples, calls = [], []
    for pool in pools:
        if MinuteSample.objects.filter(pool=pool, generation=PAST_GENERATION).exists():
            continue
        minutes, its_calls = _past_of(pool, plans[pool.slug])
        samples += minutes
        calls += its_calls
    calls.sort(key=lambda call: call.started_at)
    for place, call in enumerate(calls):
        call.pk = place - len(calls)  # before the real calls, because keys follow time
    for start in range(0, len(calls), PAST_BATCH):
        # Short transactions with pauses, because SQLite has one writer and the demo runs. After an
        # interruption, the same rows are created again.
        began = time.monotonic()
        part = calls[start : start + PAST_BATCH]
        CallRecord.objects.bulk_create(part, ignore_conflicts=True)  # unaudited: the demo's past
        time.sleep(PAST_PAUSES * (time.monotonic() - began))
    # The samples come last and in one transaction per pool with the counts: they mark the pool as
    # done, and each call counts once.
    for pool in pools:
        its = [sample for sample in samples if sample.pool_id == pool.pk]
        if its:
            with transaction.atomic():
                count_ended(pool.pk, [call for call in calls if call.pool_id == pool.pk])
                MinuteSample.objects.bulk_create(its)  # unaudited: the demo's past


def _past_of(pool: Pool, plan: DemoPool) -> tuple[list[MinuteSample], list[CallRecord]]:
    lines = list(Number.objects.filter(pool=pool).order_by("value").values_list("value", flat=True))
    traffic = Traffic(plan.offered_erlangs, plan.mean_call_seconds, AGENTS)
    used = random.Random(7).sample(lines, len(lines) - plan.quarantined)  # noqa: S311
    past = PoolPast(pool, used, traffic, seed=zlib.crc32(plan.slug.encode()))
    return past.run(pool.created_at.replace(second=0, microsecond=0))
