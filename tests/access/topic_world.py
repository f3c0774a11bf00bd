"""The objects that topics show: of the account `own`, of `other`, and of the platform.

Each is created through the services and contains its tenant's word in its names, so that the word
discloses data received from another tenant.
"""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from billing.models import Campaign, Chatbot, Template
from billing.services.wallets import wallet_open
from numbers.services import numbers_add, pool_create
from poolsite.access import services
from poolsite.access.models import Account
from poolsite.access.services import token_create
from poolsite.jobs.models import Job
from poolsite.operations import incidents
from queueing.admission.models import TaskBatch
from queueing.admission.services import gate_create
from queueing.dispatch.models import Instance, Upgrade
from queueing.dispatch.services import group_create
from queueing.line.services.desks import agent_create, desk_create, queue_create
from queueing.line.services.visits import visit_join
from tests.access.world import READERS, World

WORDS = {"own": "ownword", "other": "otherword", "platform": "platformword"}
# `token`: the platform's, for everything. `other token`: one of the account `other`.
TOKENS = ("token", "other token")
PEOPLE = (*READERS, *TOKENS, "visitor")


@dataclass
class Tenant:
    """A tenant's objects. `keys`: topic → the key of its object."""

    name: str
    account: Account | None
    keys: dict[str, str] = field(default_factory=dict)
    visitor: str = ""

    @property
    def word(self) -> str:
        return WORDS[self.name]


def make_tenant(world: World, name: str, number: str) -> Tenant:
    """Create an object of each kind. `name`: own, other or platform; `number`: of its pool."""
    account: Account | None = {"own": world.own, "other": world.other}.get(name)
    tenant = Tenant(name, account)
    said: dict[str, Any] = {"actor": "test", "account": account, "name": tenant.word}
    slug = f"{name}-thing"
    pool = pool_create(slug=slug, **said)
    numbers_add(actor="test", pool=pool, values=[number], label=tenant.word)
    gate = gate_create(slug=slug, **said)
    now = timezone.now()
    batch = TaskBatch.objects.create(
        gate=gate, name=tenant.word, opens_at=now, closes_at=now + timedelta(hours=1)
    )
    group = group_create(slug=slug, **said)
    Instance.objects.create(group=group, name=tenant.word)
    upgrade = Upgrade.objects.create(group=group, target_version=tenant.word)
    incidents.open(
        type="test.alarm", object=slug, severity="warning", title=tenant.word, account=account
    )
    job = Job.objects.create(
        kind="test.none", prefix="tst", actor=world.users["operate"], account=account
    )
    scope = str(account.pk) if account else "all"
    tenant.keys = {
        "numbers.pool": slug,
        "numbers.tiles": f"{slug}:0",
        "numbers.number": number,
        **dict.fromkeys(("admission.gate", "admission.holders", "admission.line"), slug),
        "admission.batches": slug,
        "admission.batch": str(batch.pk),
        **dict.fromkeys(("dispatch.group", "dispatch.peers"), slug),
        "dispatch.upgrade": str(upgrade.pk),
        "jobs.job": str(job.pk),
        **dict.fromkeys(LISTS, scope),
    }
    _line(world, tenant, said)
    if account is not None:
        _money(tenant, account)
    return tenant


LISTS = (
    *("numbers.pools", "admission.gates", "dispatch.groups", "line.desks"),
    *("operations.incidents", "operations.overview"),
)


def _line(world: World, tenant: Tenant, said: dict[str, Any]) -> None:
    """Create a desk with a queue, an agent, and a visitor who waits."""
    slug = f"{tenant.name}-thing"
    desk = desk_create(slug=slug, **said)
    queue = queue_create(actor="test", desk=desk, slug=slug, name=tenant.word)
    user = world.users["agent"] if tenant.name == "own" else _agent(tenant)
    agent_create(actor="test", desk=desk, user=user, name=tenant.word, queues=[queue])
    joined = visit_join(queue=queue, name=tenant.word, topic=tenant.word)
    tenant.visitor = joined.token
    visit = joined.visit.public_id
    tenant.keys |= {
        **dict.fromkeys(("line.desk", "line.floor"), slug),
        **dict.fromkeys(("line.queue", "line.waiting"), slug),
        **dict.fromkeys(("line.visit", "line.talk", "line.room"), visit),
        "line.agent": str(user.pk),
    }


def _agent(tenant: Tenant) -> Any:
    return services.user_create(
        username=f"{tenant.name}-agent", email=f"{tenant.name}@example.com", actor="test"
    )


def _money(tenant: Tenant, account: Account) -> None:
    wallet = wallet_open(account, "test")
    chatbot = Chatbot.objects.create(account=account, slug="shop", name=tenant.word)
    template = Template.objects.create(chatbot=chatbot, name=tenant.word)
    campaign = Campaign.objects.create(
        wallet=wallet, chatbot=chatbot, template=template, name=tenant.word, created_by="test"
    )
    tenant.keys |= {
        **dict.fromkeys(("billing.wallet", "billing.figures"), account.slug),
        "billing.campaign": f"{account.slug}.{campaign.pk}",
    }


def credentials(world: World, own: Tenant) -> dict[str, tuple[bytes, bytes]]:
    """Return the header with which each of PEOPLE authenticates. `nobody` has none."""
    found = {
        reader: (b"cookie", f"session={world.client(reader).session.session_key}".encode())
        for reader in READERS
        if reader != "nobody"
    }
    for name, account in (("token", None), ("other token", world.other)):
        _, secret = token_create(name=name, account=account, resources=["*"], actor="test")
        found[name] = (b"authorization", f"Bearer {secret}".encode())
    found["visitor"] = (b"authorization", f"Bearer {own.visitor}".encode())
    return found
