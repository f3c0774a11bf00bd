"""Create two tenants with an object of each kind, or let time pass for them. Prints JSON.

`python -m tests.fuzz.world make`: what the fuzz test needs to know. Each tenant's names and texts
contain a word of its own, its mark, which no request contains: an answer with the mark discloses
the tenant. `python -m tests.fuzz.world work`: do once what the timers, workers and beat would do.
"""

import json
import sys
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import django

if TYPE_CHECKING:
    from numbers.models import HealthRule, Pool
    from poolsite.access.models import Account, User

MARKS = {"own": "Wombat", "other": "Quokka"}
FIRST = {"own": 13_800_000_000, "other": 13_900_000_000}
NUMBERS = 600
TAKEN_OUT, TWINS = 200, 150
SECONDS = 600  # how long people count as present without a heartbeat
QUEUES = (("help", "auto"), ("offers", "offer"), ("chosen", "manual"), ("wrapping", "auto"))


@dataclass
class Tenant:
    """A tenant's objects, by name or ID."""

    slug: str
    mark: str
    numbers: list[str] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)
    agents: dict[str, int] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)  # also incidents and a job
    sessions: dict[str, str] = field(default_factory=dict)


def _person(tenant: Tenant, account: "Account", name: str, role: str) -> "User":
    from poolsite.access.services import membership_set, user_create

    user = user_create(username=f"{tenant.slug}-{name}", actor="fuzz")
    membership_set(user=user, account=account, roles=[role], actor="fuzz")
    return user


def _tenant(slug: str) -> Tenant:
    from tests.billing.api.shop import make_shop
    from tests.fuzz.world_money import make_money

    tenant = Tenant(slug, MARKS[slug])
    shop = make_shop(slug, money=10**15)
    account = shop.account
    account.name = f"{tenant.mark} house"
    account.save()
    tenant.tokens |= {"chatbot": shop.token, "gateway": shop.gateway}
    _numbers(tenant, account)
    _desk(tenant, account)
    _gate(tenant, account)
    _group(tenant, account)
    _tokens(tenant, account)
    make_money(shop, tenant.mark)
    _person(tenant, account, "owner", "owner")
    tenant.people["removable"] = _person(tenant, account, "removable", "sender").pk
    tenant.people["newcomer"] = _person(tenant, account, "newcomer", "agent").pk
    return tenant


def _numbers(tenant: Tenant, account: "Account") -> None:
    from numbers.services import switch_create
    from tests.numbers.people import make_pool

    pool = make_pool(
        f"{tenant.slug}-pool",
        account=account,
        name=f"{tenant.mark} pool",
        numbers=NUMBERS,
        first=FIRST[tenant.slug],
        cooldown_seconds=0,
        daily_cap=0,
    )
    tenant.numbers = list(pool.numbers.order_by("value").values_list("canonical", flat=True)[:100])
    for name in ("fs-01", "fs-02"):
        tenant.tokens[name] = switch_create(actor="fuzz", pool=pool, name=name)[1]
    _health(pool, tenant.mark)
    _twins(pool)


def _health(pool: "Pool", mark: str) -> None:
    """Create ended calls, figures by switch and region, a rule, and its actions."""
    from numbers.models import HealthRule
    from tests.numbers.test_health_pages import calls

    for place in range(3):
        calls(pool, place, 2, 8, "fs-01")
    rule = HealthRule.objects.create(
        pool=pool, name=f"{mark} rule", measure="asr", direction="below", threshold=1
    )
    _taken_out(rule)


def _twins(pool: "Pool") -> None:
    """Create numbers stored in two formats, more than one request merges."""
    from django.utils import timezone

    from numbers.models import Number
    from numbers.services import pool_reconcile

    first = FIRST["own"] + 900_000_000 + 1_000 * list(FIRST).index(pool.slug.removesuffix("-pool"))
    for number in range(first, first + TWINS):
        keeper = Number.objects.create(pool=pool, value=f"+86{number}", canonical=f"+86{number}")
        Number.objects.create(
            pool=pool,
            value=str(number),
            twin_of=keeper,
            quarantined_at=timezone.now(),
            quarantined_by="numbers.twins",
            quarantined_reason=f"twin of {keeper.value}",
        )
    pool_reconcile(pool=pool, check=False)


def _taken_out(rule: "HealthRule") -> None:
    """Take numbers out of use by the rule: the last ones, which the recipes don't use."""
    from django.utils import timezone

    from numbers.models import HealthAction

    at = timezone.now()
    rows = list(rule.pool.numbers.order_by("-value")[:TAKEN_OUT])
    rule.pool.numbers.filter(pk__in=[row.pk for row in rows]).update(quarantined_at=at)
    HealthAction.objects.bulk_create(
        HealthAction(
            pool=rule.pool,
            rule=rule,
            rule_name=rule.name,
            number=row.value,
            action="rest",
            reason="a test",
            measure="asr",
            window="24h",
            value=1.0,
            day=at.date(),
            at=at,
        )
        for row in rows
    )


def _desk(tenant: Tenant, account: "Account") -> None:
    from queueing.line.services import desks
    from queueing.line.services.left_messages import message_leave

    slug, mark = tenant.slug, tenant.mark
    desk = desks.desk_create(
        actor="fuzz",
        slug=f"{slug}-desk",
        name=f"{mark} desk",
        account=account,
        callback_pool=f"{slug}-pool",
    )
    queues = {
        name: desks.queue_create(
            actor="fuzz",
            desk=desk,
            slug=f"{slug}-{name}",
            name=f"{mark} {name}",
            mode=mode,
            ttl_seconds=SECONDS,
            offer_seconds=SECONDS,
            misses_limit=1_000,
            max_length=5_000,
            wrap_up_seconds=600 if name == "wrapping" else 0,
        )
        for name, mode in QUEUES
    }
    for name in (*dict(QUEUES), "spare"):
        user = _person(tenant, account, name, "agent")
        serves = queues.get(name, queues["help"])
        capacity = 1 if name == "spare" else 20
        desks.agent_create(
            actor="fuzz",
            desk=desk,
            user=user,
            name=f"{mark} {name}",
            queues=[serves],
            capacity=capacity,
        )
        tenant.agents[name] = user.pk
    for name in ("help", "chosen"):
        message_leave(
            queue=queues[name],
            name=f"{mark} caller",
            contact="+8613700000000",
            text=f"{mark} text",
            wants_call=True,
        )


def _gate(tenant: Tenant, account: "Account") -> None:
    from queueing.admission import services

    services.gate_create(
        actor="fuzz",
        slug=f"{tenant.slug}-gate",
        name=f"{tenant.mark} gate",
        account=account,
        cap=1_000,
    )


def _group(tenant: Tenant, account: "Account") -> None:
    from queueing.dispatch.services import group_create

    group_create(
        actor="fuzz",
        slug=f"{tenant.slug}-group",
        name=f"{tenant.mark} group",
        account=account,
        heartbeat_seconds=300,
        missed_limit=20,
        disconnect_seconds=86_400,
    )


def _tokens(tenant: Tenant, account: "Account") -> None:
    """Create tokens: `all` may do everything open to tokens, `narrow` may only view one pool."""
    from poolsite.access.models import ApiToken
    from poolsite.access.services import token_create, token_revoke

    def made(name: str, **given: Any) -> str:
        return token_create(name=f"{tenant.mark} {name}", account=account, actor="fuzz", **given)[1]

    pool = [f"pool:{tenant.slug}-pool"]
    tenant.tokens["all"] = made("all", resources=["*"])
    tenant.tokens["narrow"] = made("narrow", resources=pool, actions=["numbers.view"])
    tenant.tokens["revoked"] = made("revoked", resources=["*"])
    row = ApiToken.objects.get(name=f"{tenant.mark} revoked")
    token_revoke(token=row, actor="fuzz")


def _platform() -> Tenant:
    """Return the operators' sessions and the platform's token."""
    from poolsite.access.models import User
    from poolsite.access.services import grant_set, token_create, user_create
    from poolsite.jobs.models import Job
    from tests.browser.stage import sessions_of

    user = user_create(username="operator", actor="fuzz", is_operator=True)
    for grant in ("operate", "finance", "supervise"):
        grant_set(user=user, name=grant, actor="fuzz")
    _, secret = token_create(name="platform", account=None, resources=["*"], actor="fuzz")
    approver = user_create(username="approver", actor="fuzz", is_operator=True)
    grant_set(user=approver, name="finance", actor="fuzz")
    people = {
        name: user_create(username=name, actor="fuzz", is_operator=True).pk
        for name in ("candidate", "leaver")
    }
    people |= _incidents()
    people["job"] = Job.objects.create(kind="fuzz", prefix="fuzz").pk
    owners = User.objects.filter(username__in=[f"{slug}-owner" for slug in MARKS])
    sessions = sessions_of(user, approver, *owners)
    return Tenant("", "", tokens={"all": secret}, people=people, sessions=sessions)


def _incidents() -> dict[str, int]:
    """Open an incident that a check keeps open, and one that is ended by hand."""
    from poolsite.operations import incidents
    from poolsite.operations.incidents import BY_HAND

    kinds = {"incident": "fuzz.alarm", "by_hand": min(BY_HAND)}
    return {
        name: incidents.open(type=kind, object="fuzz", severity="warning", title="Fuzz").pk
        for name, kind in kinds.items()
    }


def make() -> None:
    told = {slug: asdict(_tenant(slug)) for slug in MARKS}
    print(json.dumps(told | {"platform": asdict(_platform())}))


def work() -> None:
    """Write histories to SQL, load batches, continue upgrades, run jobs."""
    from numbers.imports.kinds import IMPORT, PREVIEW, UNDO
    from numbers.models import Pool
    from poolsite import history
    from poolsite.history import Aggregate
    from poolsite.jobs import runner
    from poolsite.jobs.models import Job
    from queueing.dispatch import services
    from queueing.line.models import Desk
    from tests.admission.people import load_due

    for kind, rows in (("numbers.pool", Pool.objects.all()), ("line.desk", Desk.objects.all())):
        for row in rows:
            while history.drain(kind, Aggregate(row.tag, row.pk)).lag:
                pass
    load_due()
    services.tick_upgrades()
    for job in Job.objects.filter(state=Job.State.QUEUED, kind__in=(PREVIEW, IMPORT, UNDO)):
        runner.run(job.pk)
    print("{}")


if __name__ == "__main__":
    django.setup()
    {"make": make, "work": work}[sys.argv[1]]()
