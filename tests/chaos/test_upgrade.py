"""The former release and this one side by side under load: nothing acknowledged is lost."""

import tempfile
from pathlib import Path

import pytest

from tests.chaos.__main__ import Campaign
from tests.chaos.stack import Stack
from tests.chaos.test_chaos import ACKNOWLEDGED
from tests.support import former

pytestmark = [pytest.mark.prove, pytest.mark.alone]

SEED = 20_261_127


@pytest.mark.needs("postgres", "root", "history")
def test_an_upgrade_under_load_loses_nothing(tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="poolsite-upgrade-", dir="/tmp"))  # short: socket paths
    stack = Stack(folder, seed=SEED, release=former.check_out(tmp_path / "former"))
    campaign = Campaign(SEED, seconds=0.0, names=["upgrade"], calm_seconds=1.0)
    try:
        stack.start()
        assert campaign.run(stack) == 1
    finally:
        stack.remove()
    assert not campaign.not_run
    assert set(campaign.acknowledged) >= ACKNOWLEDGED, campaign.acknowledged
