"""The short form of `make chaos`: the most telling faults, once each, on the real processes."""

import tempfile
from pathlib import Path

import pytest

from tests.chaos.__main__ import Campaign
from tests.chaos.faults import FAULTS
from tests.chaos.stack import Stack

pytestmark = [pytest.mark.prove, pytest.mark.alone]

SEED = 20_261_121
TELLING = ("kill_web", "kill_redis", "kill_worker", "lose_replies", "kill_switches", "flush_redis")


@pytest.mark.needs("postgres")
def test_nothing_is_lost_and_no_number_lent_twice_by_the_most_telling_faults() -> None:
    folder = Path(tempfile.mkdtemp(prefix="poolsite-chaos-", dir="/tmp"))  # short: socket paths
    stack = Stack(folder, seed=SEED)
    campaign = Campaign(SEED, seconds=0.0, names=TELLING, calm_seconds=2.0)
    try:
        stack.start()
        assert campaign.run(stack) == len(TELLING)
    finally:
        stack.remove()
    assert set(campaign.healed) == set(TELLING)
    assert not campaign.not_run


def test_every_telling_fault_is_registered() -> None:
    assert set(TELLING) <= set(FAULTS)
