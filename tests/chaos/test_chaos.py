"""The short form of `make chaos`: the most telling faults, once each, on the real processes.

Everything acknowledged in calls, at desks and at gates is compared with SQL before the fault
that loses data. What must be true while a disk is full or SQL is gone is checked during the fault.
"""

import tempfile
from pathlib import Path

import pytest

from tests.chaos.__main__ import Campaign, wants_clock
from tests.chaos.faults import FAULTS
from tests.chaos.stack import Stack

pytestmark = [pytest.mark.prove, pytest.mark.alone]

SEED = 20_261_121
TELLING = (
    *("kill_web", "kill_redis", "kill_worker", "kill_timers", "lose_replies", "kill_switches"),
    *("fill_disk", "fill_sql_disk", "kill_postgres", "flush_redis"),
)
ACKNOWLEDGED = {
    *("calls", "hang-ups", "visits told how they ended", "rooms finished", "messages at desks"),
    *("tasks given", "results accepted", "permits granted", "permits released"),
}


@pytest.mark.needs("postgres", "root")
def test_nothing_is_lost_and_no_number_lent_twice_by_the_most_telling_faults() -> None:
    folder = Path(tempfile.mkdtemp(prefix="poolsite-chaos-", dir="/tmp"))  # short: socket paths
    stack = Stack(folder, seed=SEED, clock=wants_clock(TELLING))
    campaign = Campaign(SEED, seconds=0.0, names=TELLING, calm_seconds=1.0)
    try:
        stack.start()
        assert campaign.run(stack) == len(TELLING)
    finally:
        stack.remove()
    assert set(campaign.healed) == set(TELLING)
    assert not campaign.not_run
    assert set(campaign.acknowledged) >= ACKNOWLEDGED, campaign.acknowledged


def test_every_telling_fault_is_registered() -> None:
    assert set(TELLING) <= set(FAULTS)
