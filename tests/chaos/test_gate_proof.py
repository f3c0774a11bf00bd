"""The small form of the gate's proof: real HTTP, killed web processes, a system that counts."""

import tempfile
from pathlib import Path

import pytest

from tests.chaos.gate_proof import Proof
from tests.chaos.gate_verdict import SMALL

pytestmark = [pytest.mark.prove, pytest.mark.alone]


def test_the_cap_holds_every_task_ends_once_and_the_cap_is_used() -> None:
    with tempfile.TemporaryDirectory(prefix="poolsite-proof-", dir="/tmp") as folder:
        verdict = Proof(SMALL, Path(folder)).run()
    verdict.check()
    assert verdict.devices["outcomes"]["repeat"] > 0, "nothing was lost or doubled"
