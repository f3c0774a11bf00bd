"""Two tenants' sockets while both tenants are written to, and sockets whose rights end."""

from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from numbers.models import Pool
from numbers.services import numbers_add
from poolsite.access import services
from poolsite.access.models import ApiToken
from poolsite.access.services import visitor_end
from poolsite.operations import incidents
from queueing.line.models import Queue, Visit
from queueing.line.services.visits import visit_join
from tests.access.test_every_topic import Credentials, foreign_words, proofs, tenants, world
from tests.access.topic_world import WORDS, Tenant
from tests.access.watching import AT_ONCE, Watcher
from tests.access.world import World

pytestmark = [pytest.mark.prove, pytest.mark.background]
__all__ = ["proofs", "tenants", "world"]  # the fixtures of the other file

WATCHERS = ("owner", "agent", "foreign", "other token", "visitor")


def write(tenant: Tenant) -> None:
    """Write an object of each kind, with the tenant's word in it."""
    slug = f"{tenant.name}-thing"
    number = f"+861380000000{list(WORDS).index(tenant.name)}"
    numbers_add(actor="test", pool=Pool.objects.get(slug=slug), values=[number], label=tenant.word)
    queue = Queue.objects.select_related("desk").get(slug=slug)
    visit_join(queue=queue, name=f"new {tenant.word}", topic=tenant.word)
    incidents.open(
        type="test.second",
        object=slug,
        severity="critical",
        title=f"new {tenant.word}",
        account=tenant.account,
    )


async def test_what_is_written_in_one_tenant_reaches_no_socket_of_another(
    tenants: dict[str, Tenant], proofs: Credentials
) -> None:
    """Each socket requests the topics of every tenant, and gets only its own."""
    async with AsyncExitStack() as stack:
        sockets = []
        for person in (*WATCHERS, "operate"):
            for tenant in tenants.values():
                addresses = [f"{name}:{key}" for name, key in tenant.keys.items()]
                for start in range(0, len(addresses), AT_ONCE):
                    watcher = await stack.enter_async_context(Watcher(proofs[person]))
                    await watcher.subscribe(addresses[start : start + AT_ONCE])
                    sockets.append((person, tenant.name, watcher))
        for tenant in tenants.values():
            await sync_to_async(write)(tenant)
        for person, name, watcher in sockets:
            if person == "operate" or (person, name) in (("owner", "own"), ("foreign", "other")):
                word = f"new {tenants[name].word}"
                await watcher.until(lambda watcher=watcher, word=word: word in watcher.text)
        wrong = [
            f"{person} received {word} among the topics of {name}"
            for person, name, watcher in sockets
            for word in foreign_words(person)
            if word in watcher.text
        ]
        assert not any(watcher.code for _, _, watcher in sockets)
    assert not wrong


async def test_a_topic_brings_nothing_of_another_topic(
    tenants: dict[str, Tenant], proofs: Credentials
) -> None:
    """An operator who watches one tenant's line receives nothing of the other tenant's line."""
    own, other = tenants["own"], tenants["other"]
    async with Watcher(proofs["operate"]) as first, Watcher(proofs["operate"]) as second:
        await first.subscribe([f"line.waiting:{own.keys['line.waiting']}"])
        await second.subscribe([f"line.waiting:{other.keys['line.waiting']}"])
        for tenant in (own, other):
            await sync_to_async(write)(tenant)
        await first.until(lambda: f"new {own.word}" in first.text)
        await second.until(lambda: f"new {other.word}" in second.text)
        assert other.word not in first.text
        assert own.word not in second.text
        await first.send(op="unsubscribe", topic=f"line.waiting:{own.keys['line.waiting']}")
        await first.send(op="ping")
        await first.until(lambda: '"pong"' in first.text)
        told = first.text
        await sync_to_async(visit_join)(
            queue=await sync_to_async(_queue)(own), name="later", topic=own.word
        )
        await first.send(op="ping")
        await first.until(lambda: first.text.count('"pong"') == 2)
        assert "later" not in first.text.removeprefix(told)


def _queue(tenant: Tenant) -> Queue:
    return Queue.objects.select_related("desk").get(slug=tenant.keys["line.queue"])


async def test_a_socket_is_closed_when_its_credential_or_its_right_ends(
    world: World, tenants: dict[str, Tenant], proofs: Credentials
) -> None:
    own, people = tenants["own"], world.users
    pool = f"numbers.pool:{own.keys['numbers.pool']}"
    desk = f"line.desk:{own.keys['line.desk']}"

    def log_out() -> None:
        browser = Client(headers={"cookie": proofs["owner"][1].decode()})
        browser.post("/logout/")

    def lose_role() -> None:
        services.membership_set(user=people["admin"], account=world.own, roles=[], actor="test")

    def lose_grant() -> None:
        services.grant_set(user=people["operate"], name="operate", actor="test", granted=False)

    def revoke() -> None:
        token = ApiToken.objects.get(name="token")
        services.token_revoke(token=token, actor="test", reason="test")

    def end_visit() -> None:
        visitor_end(visit=Visit.objects.get(public_id=own.keys["line.visit"]).public_id)

    ends: dict[str, tuple[str, Callable[[], object], int]] = {
        "owner": (pool, log_out, 4401),
        "supervisor": (
            desk,
            lambda: services.log_out_everywhere(user=people["supervisor"], actor="test"),
            4401,
        ),
        "looker": (
            pool,
            lambda: services.user_deactivate(user=people["looker"], actor="test", reason="test"),
            4401,
        ),
        "admin": (pool, lose_role, 4403),
        "operate": (pool, lose_grant, 4403),
        "token": (pool, revoke, 4401),
        "visitor": (f"line.visit:{own.keys['line.visit']}", end_visit, 4401),
    }
    async with AsyncExitStack() as stack:
        watchers = {}
        for person, (topic, _, _) in ends.items():
            watchers[person] = await stack.enter_async_context(Watcher(proofs[person]))
            await watchers[person].subscribe([topic])
            assert watchers[person].answers == {topic: "open"}
        keeps = await stack.enter_async_context(Watcher(proofs["foreign"]))
        for person, (_, end, code) in ends.items():
            await sync_to_async(end)()
            await watchers[person].until(lambda person=person: watchers[person].code)
            assert (person, watchers[person].code) == (person, code)
        assert not keeps.code
