"""Kamailio is killed with calls running and started again: a proxy's calls continue without it."""

import os
import random

import pytest

from tests.integrations.kamailio import load
from tests.integrations.kamailio.conftest import MakeStage
from tests.integrations.kamailio.phone import Phone
from tests.support.waiting import until

pytestmark = [
    pytest.mark.prove,
    pytest.mark.alone,
    pytest.mark.needs("kamailio", "sipp"),
]

CALLS, RATE, HOLD, LINES = 650, 10.0, 4.0, 20
# Some calls outlast the rest that numbers have after a restart of a switch that holds media.
LONG_CALLS, LONG_HOLD = 8, 55.0
SEED = int(os.environ.get("SEED") or random.randrange(10**6))
NUMBERS = [f"138{index:08d}" for index in range(LINES)]


def test_a_killed_kamailio_neither_lends_a_number_twice_nor_keeps_one(
    make_stage: MakeStage,
) -> None:
    print(f"SEED={SEED}")
    stage = make_stage(*NUMBERS)
    calls = load.poisson_calls(random.Random(SEED), CALLS, RATE, HOLD)
    calls[:LONG_CALLS] = [load.Planned(call.start, LONG_HOLD) for call in calls[:LONG_CALLS]]
    with Phone(stage.sip_port, "alice") as agent:
        agent.register()
    with load.running(stage, calls) as ends:
        until(lambda: stage.bench.figures().carried >= 30, evidence=stage.said)
        before = stage.bench.figures()
        assert before.busy_up + before.busy_down >= LINES // 2
        stage.kill()
        stage.start()
        until(ends.finished, seconds=150, evidence=stage.said)
        seen = ends.seen()
    assert load.overlaps(seen) == []
    assert stage.bench.figures().carried > before.carried
    until(lambda: stage.idle(LINES), seconds=150, evidence=stage.said)
    had = [call for call in seen.values() if call.acknowledged]
    assert sum(call.ended - call.begun > LONG_HOLD - 1 for call in had) == LONG_CALLS
    print(f"{len(had)} calls, {before.busy_up} of them running when it was killed")
    assert stage.bench.problems() == []
