"""All five systems on a Cluster, and on PostgreSQL behind PgBouncer: they work, and lose nothing.

The whole row, ten minutes with one process of each kind killed, is `make bench ROWS=22`.
"""

import tempfile
from pathlib import Path

import pytest

from tests.bench import access_log
from tests.chaos.__main__ import Campaign
from tests.chaos.many_machines import ManyMachines
from tests.chaos.test_chaos import ACKNOWLEDGED

pytestmark = [pytest.mark.prove, pytest.mark.alone]

SEED = 22
KILLED = ("kill_redis", "kill_nginx")


@pytest.mark.needs("postgres", "nginx", "pgbouncer")
def test_all_systems_lose_nothing_by_a_dead_master_and_a_dead_proxy() -> None:
    folder = Path(tempfile.mkdtemp(prefix="poolsite-many-", dir="/tmp"))  # short: socket paths
    stack = ManyMachines(folder, seed=SEED)
    campaign = Campaign(SEED, seconds=0.0, names=KILLED, calm_seconds=1.0)
    try:
        stack.start()
        assert campaign.run(stack) == len(KILLED)
        systems = access_log.by_system(access_log.read(stack.access_log), campaign.hurt)
    finally:
        stack.remove()
    assert set(campaign.healed) == set(KILLED)
    assert set(campaign.acknowledged) >= ACKNOWLEDGED, campaign.acknowledged
    assert {"numbers", "money", "gates", "desks"} <= systems.keys()
    assert all(status != 500 for served in systems.values() for status in served.errors)
