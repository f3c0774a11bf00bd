"""The external system by its own count: within the cap if it obeys, above it if it does not."""

import asyncio

import pytest

from integrations.simulator.external.service import System
from poolsite import hotpath
from poolsite.operations.models import Incident
from queueing.admission import gate as commands
from queueing.admission.services.alarms import OVERRUN, check_alarms
from tests.admission.people import SLUG, drain, make_gate
from tests.numbers.people import in_thread
from tests.support.waiting import eventually

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

CAP, CLIENTS = 3, 6
# A client that obeys stops this long before its slot is free: simultaneous events have no order.
MARGIN_SECONDS = 2


async def client(system: System, number: int) -> None:
    """Get a permit as soon as possible, and work for longer than the permit is valid."""
    name = f"h{number}"
    permits: list[commands.Permit] = []

    async def is_granted() -> bool:
        permits.append(await hotpath.arun(commands.acquire(SLUG, name)))
        return permits[-1].granted

    await eventually(is_granted)
    stops_us = permits[-1].deadline_us - MARGIN_SECONDS * 1_000_000
    await system.work(name, permits[-1].token, stops_us, 3_600)


async def play(*, obeys: bool) -> System:
    """Run until every client was stopped by its deadline, or until there is one too many."""
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
    gate = await in_thread(make_gate)(
        cap=CAP, permit_seconds=3, margin_seconds=MARGIN_SECONDS, longest_seconds=3, fair=False
    )
    system = await play(obeys=obeys)
    observed = await hotpath.arun(commands.observe(SLUG, system.most))
    await in_thread(drain)(gate)
    await in_thread(check_alarms)()
    standing = await in_thread(
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
