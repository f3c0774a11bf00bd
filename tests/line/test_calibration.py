"""About eight of ten waits are inside the given range, whatever the model misses."""

import os
import random
from datetime import timedelta
from statistics import fmean, stdev

import pytest
from django.utils import timezone

from queueing.line.models import Visit
from queueing.line.services import visits
from queueing.line.services.calibration import (
    ENOUGH,
    MOST,
    PLAIN,
    Factors,
    RangeOutcome,
    calibrate,
    factors_of,
)
from queueing.line.services.estimates import wait_range
from tests.line.line_world import LineWorld, fresh_line
from tests.line.waiting_world import WaitingWorld, share_inside

SEED = int(os.environ.get("LINE_SEED", "20261126"))
VISITORS = 4_000
RUNS, T_999 = 8, 5.408  # Student's t, 7 degrees of freedom, two-sided 99.9 %
WARM_UP = 300  # ranges that were given while there was little to learn from
QUEUE = pytest.mark.usefixtures("clean_redis")
SQL = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("load", [0.7, 0.85, 1.0])
def test_eight_of_ten_waits_are_inside_the_range_in_simulated_time(load: float) -> None:
    print(f"LINE_SEED={SEED} load {load}")
    plain = WaitingWorld(SEED, load, is_calibrated=False)
    plain.run(VISITORS)
    before, _ = share_inside(plain.told[WARM_UP:])
    inside, half, sooner = _shares(load)
    print(f"inside {inside:.1%} ± {half:.1%}, sooner {sooner:.1%}; {RUNS} runs")
    print(f"the model alone: {before:.1%}")
    assert before < 0.7  # otherwise there would be nothing to calibrate
    assert inside - half >= 0.75  # the whole interval is near eight of ten
    assert inside + half <= 0.85
    assert 0.05 <= sooner <= 0.15


def _shares(load: float) -> tuple[float, float, float]:
    """Return inside, half its 99.9 % interval, and sooner: means of independent runs."""
    found = []
    for run in range(RUNS):
        world = WaitingWorld(SEED + 1_000 * run, load)
        world.run(VISITORS)
        found.append(share_inside(world.told[WARM_UP:]))
    inside, sooner = ([run[place] for run in found] for place in (0, 1))
    return fmean(inside), T_999 * stdev(inside) / RUNS**0.5, fmean(sooner)


def test_a_true_model_is_left_as_it_is() -> None:
    print(f"LINE_SEED={SEED}")
    dice = random.Random(SEED)
    ranks = [dice.randint(1, 12) for _ in range(2_000)]
    found = calibrate([RangeOutcome(k, k * 50.0, dice.gammavariate(k, 50.0), True) for k in ranks])
    assert found.low == pytest.approx(1, abs=0.15)
    assert found.high == pytest.approx(1, abs=0.1)


def test_few_outcomes_change_nothing_and_strange_ones_little() -> None:
    slow = [RangeOutcome(1, 10.0, 10_000.0, True)] * ENOUGH
    assert calibrate(slow[1:]) == PLAIN
    assert calibrate(slow) == Factors(MOST, MOST)
    assert calibrate([RangeOutcome(1, 10.0, 20.0, False)] * ENOUGH) == PLAIN


def test_who_gave_up_had_waited_at_least_so_long() -> None:
    served = [RangeOutcome(1, 60.0, 60.0 + number, True) for number in range(ENOUGH)]
    gone = [RangeOutcome(1, 60.0, 59.0, False) for _ in range(ENOUGH)]
    assert calibrate(served + gone) == calibrate(served)  # they show nothing about longer waits
    late = [RangeOutcome(1, 60.0, 300.0, False) for _ in range(ENOUGH)]
    assert calibrate(served + late).high > calibrate(served).high


@pytest.fixture
def line() -> LineWorld:
    return fresh_line()


@SQL
@QUEUE
def test_a_queue_whose_waits_are_twice_the_models_tells_twice_as_much(line: LineWorld) -> None:
    line.agent("li", online=True)
    assert visits.visit_join(queue=line.queue).standing.answer == "room"
    dice = random.Random(SEED)
    joined = timezone.now() - timedelta(hours=1)
    for number in range(200):
        matched = joined + timedelta(seconds=2 * dice.expovariate(1 / 60.0))
        Visit.objects.create(
            public_id=f"past{number:08d}",
            desk=line.desk,
            queue=line.queue,
            joined_at=joined,
            place_at_join=0,
            expected_seconds=60.0,
            matched_at=matched,
            ended_at=matched + timedelta(seconds=60),
            outcome="served",
        )
    told = visits.visit_join(queue=line.queue)
    assert told.estimate is not None
    assert told.estimate == wait_range(1, 60.0, factors_of(line.queue.pk))
    assert told.estimate.high_seconds == pytest.approx(
        2 * wait_range(1, 60.0).high_seconds, rel=0.3
    )
    row = Visit.objects.get(public_id=told.visit.public_id)
    assert (row.place_at_join, row.expected_seconds) == (0, 60.0)
