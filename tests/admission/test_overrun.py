"""The external system by its own count: within the cap when it obeys, above it when it does not."""

import asyncio

import pytest
from asgiref.sync import sync_to_async

from integrations.simulator.external.service import System
from poolsite import hotpath
from poolsite.operations.models import Incident
from queueing.admission import gate as door
from queueing.admission.services.alarms import OVERRUN, check_alarms
from tests.admission.people import SLUG, drain, make_gate
from tests.support.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

CAP, CLIENTS = 3, 6


async def client(system: System, number: int) -> None:
    """Gets a permit as soon as it can, and wants to work for longer than the permit lasts."""
    name = f"h{number}"
    permits: list[door.Permit] = []

    async def is_granted() -> bool:
        permits.append(await hotpath.arun(door.acquire(SLUG, name)))
        return permits[-1].granted

    await eventually(is_granted)
    await system.work(name, permits[-1].token, permits[-1].deadline_us, 3_600)


async def play(*, obeys: bool) -> System:
    """Until every client was stopped by its deadline, or until there is one too many."""
    system = System(strong=CLIENTS, obeys=obeys)
    clients = [asyncio.create_task(client(system, number)) for number in range(CLIENTS)]
    if obeys:
        await asyncio.gather(*clients)
    else:
        await eventually(lambda: system.most > CAP)
    for each in clients:
        each.cancel()
    await asyncio.gather(*clients, return_exceptions=True)
    return system


@pytest.mark.parametrize("obeys", [True, False])
async def test_a_system_that_ignores_deadlines_is_overrun_and_one_that_obeys_is_not(
    obeys: bool,
) -> None:
    # The margin is for what stops a moment after its deadline.
    margin = 1 if obeys else 0
    gate = await sync_to_async(make_gate)(
        cap=CAP, permit_seconds=2, margin_seconds=margin, longest_seconds=2, fair=False
    )
    system = await play(obeys=obeys)
    observed = await hotpath.arun(door.observe(SLUG, system.most))
    await sync_to_async(drain)(gate)
    await sync_to_async(check_alarms)()
    standing = await sync_to_async(
        Incident.objects.filter(type=OVERRUN, object=SLUG, until=None).exists
    )()
    if obeys:
        assert system.most == CAP
        assert not observed.over
        assert not standing
    else:
        assert system.most > CAP, "nothing was overrun: the test did not try hard enough"
        assert observed.over
        assert standing
