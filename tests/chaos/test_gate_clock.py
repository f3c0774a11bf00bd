"""A server's real clock is put an hour ahead: no slot is given away, work continues."""

import tempfile
from pathlib import Path

import pytest

from poolsite import hotpath
from queueing.admission import gate
from tests.admission.gate_support import GENERATION, SLUG
from tests.chaos.redis_node import RedisNode, faketime_library

pytestmark = pytest.mark.processes


@pytest.mark.needs("faketime")
@pytest.mark.parametrize("seconds", [3_600, 40])
def test_a_real_step_ahead_lets_nobody_in_and_frees_nobody(seconds: int) -> None:
    assert faketime_library()
    with tempfile.TemporaryDirectory(prefix="poolsite-gate-", dir="/tmp") as folder:
        node = RedisNode(Path(folder) / "redis", clock=True)
        try:
            node.start()
            _step(hotpath.HotPath(node.url), node, seconds)
        finally:
            node.stop()


def _step(path: hotpath.HotPath, node: RedisNode, seconds: int) -> None:
    settings = gate.GateSettings(cap=1, permit_seconds=30)
    path.run(gate.create(SLUG, GENERATION, settings))
    held = path.run(gate.acquire(SLUG, "a"))
    node.step_clock(seconds)
    assert path.run(gate.acquire(SLUG, "b")).reason == "full"
    assert path.run(gate.acquire(SLUG, "a")).token == held.token
    assert path.run(gate.incr(SLUG)) == gate.Counted(changed=False, count=1)
    assert path.run(gate.release(SLUG, "a", held.token)).done
    assert path.run(gate.acquire(SLUG, "b")).granted
    assert path.run(gate.acquire(SLUG, "c")).reason == "full"
    assert _sweep(path).expired == 0
    node.step_clock(0)
    assert _sweep(path).expired == 0
    assert path.run(gate.acquire(SLUG, "c")).reason == "full"
    path.close()


def _sweep(path: hotpath.HotPath) -> gate.GateSwept:
    swept = path.run(gate.sweep(SLUG))
    assert swept is not None
    return swept
