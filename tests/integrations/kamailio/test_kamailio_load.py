"""60 Erlang over 20 numbers through a real Kamailio: no number in two calls, Erlang's blocking."""

import math
import os
import random

import pytest

from numbers.erlang import blocking
from tests.integrations.kamailio import load
from tests.integrations.kamailio.conftest import MakeStage
from tests.integrations.kamailio.phone import Phone
from tests.support.waiting import until

pytestmark = [
    pytest.mark.prove,
    pytest.mark.alone,
    pytest.mark.needs("kamailio", "sipp"),
]

CALLS, RATE, HOLD, LINES = 2_000, 60.0, 1.0, 20
SEED = int(os.environ.get("SEED") or random.randrange(10**6))
NUMBERS = [f"138{index:08d}" for index in range(LINES)]
RUNS = 400
NORMAL_999 = 3.2905  # two-sided, 99.9 %


def test_no_number_is_in_two_calls_and_blocking_is_erlangs(make_stage: MakeStage) -> None:
    print(f"SEED={SEED}")
    stage = make_stage(*NUMBERS)
    calls = load.poisson_calls(random.Random(SEED), CALLS, RATE, HOLD)
    with Phone(stage.sip_port, "alice") as agent:
        agent.register()
    with load.running(stage, calls) as ends:
        until(ends.finished, seconds=120, evidence=stage.said)
        seen = ends.seen()
    until(lambda: stage.idle(LINES), evidence=stage.said)

    assert load.overlaps(seen) == []
    had = [call for call in seen.values() if call.acknowledged]
    refused = [call for call in seen.values() if call.refused]
    assert len(had) + len(refused) == CALLS
    assert all(call.ended for call in had)
    figures = stage.bench.figures()
    assert (figures.carried, figures.blocked) == (len(had), len(refused))
    assert stage.bench.problems() == []

    # Many simulations of the same system without switch and pool show how far chance alone goes.
    chance = random.Random(SEED + 1)
    played = [
        load.blocked_in_model(load.poisson_calls(chance, CALLS, RATE, HOLD), LINES) / CALLS
        for _ in range(RUNS)
    ]
    mean = sum(played) / RUNS
    width = NORMAL_999 * math.sqrt(sum((share - mean) ** 2 for share in played) / (RUNS - 1))
    share, expected = len(refused) / CALLS, blocking(RATE * HOLD, LINES)
    print(f"blocked {share:.2%}; Erlang B {expected:.2%} ± {width:.2%}; carried {len(had)}")
    assert abs(share - expected) < width
