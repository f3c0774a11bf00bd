"""Erlang C and A against published figures, and against independent ways to the same number.

The other ways: the stationary law of the birth-death chain in exact fractions, and a marked
visitor's way to service or away, step by step through the chain of those ahead.
"""

import math
from fractions import Fraction

import pytest

from queueing.line.erlang import Load, Service, servers_needed, service

CALLS = Load(per_hour=200, room_seconds=180)  # ten erlangs
PEOPLE = Load(per_hour=48 * 60, room_seconds=60, patience_seconds=120)
CASES = [
    (Load(60, 300, 120), 4, 20),
    (Load(60, 300, 120), 6, 60),
    (Load(90, 300, 900), 8, 20),
    (Load(240, 300, 180), 12, 30),  # more arrivals than they can serve
    (Load(2, 400, 60), 3, 10),
    (Load(700, 200, 1_500), 41, 45),
]


@pytest.mark.parametrize(
    ("agents", "waits", "level"),
    [(11, 0.682, 0.390), (12, 0.449, 0.640), (13, 0.285, 0.796), (14, 0.174, 0.888)],
)
def test_the_common_example_of_erlang_c(agents: int, waits: float, level: float) -> None:
    # 100 calls of 180 s in half an hour, within 20 s: the example of most textbooks and tools
    told = service(CALLS, agents, 20)
    assert told.waits == pytest.approx(waits, abs=0.0006)
    assert told.level == pytest.approx(level, abs=0.0006)
    assert told.occupancy == pytest.approx(10 / agents)


def test_the_common_example_to_every_digit_that_pyworkforce_prints() -> None:
    told = service(CALLS, 14, 20)
    assert told.waits == pytest.approx(0.1741319335950498, rel=1e-12)
    assert told.level == pytest.approx(0.8883500191794669, rel=1e-12)


def test_the_common_examples_speed_of_answer_and_its_agents() -> None:
    assert service(CALLS, 14, 20).mean_wait == pytest.approx(7.8, abs=0.05)
    assert servers_needed(CALLS, 0.8, 20) == 14
    assert servers_needed(CALLS, 0.79, 20) == 13


def test_the_example_of_garnett_mandelbaum_and_reiman() -> None:
    # "Designing a Call Center with Impatient Customers" (2002), table 1: 50 agents, 48 calls a
    # minute of a minute each, patience two minutes; and the case where no caller gives up.
    told = service(PEOPLE, 50, 12.5)
    assert told.gave_up == pytest.approx(0.031, abs=0.0005)
    assert told.mean_wait == pytest.approx(3.7, abs=0.1)
    assert told.occupancy == pytest.approx(0.93, abs=0.005)
    patient = service(Load(48 * 60, 60), 50, 0)
    assert patient.mean_wait == pytest.approx(20.8, abs=0.05)
    assert patient.occupancy == pytest.approx(0.96)


def _chain(load: Load, servers: int) -> tuple[Fraction, Fraction, list[Fraction]]:
    """Return P(wait), P(gives up) and the weights of 0, 1, 2 … in line, by birth and death."""
    arrive, serve = Fraction(load.per_hour) / 3_600, 1 / Fraction(load.room_seconds)
    leave = 1 / Fraction(load.patience_seconds or 0)
    weights = [Fraction(1)]
    for there in range(1, servers + 1):
        weights.append(weights[-1] * arrive / (there * serve))
    while weights[-1] > weights[servers] * Fraction(1, 10**14) or len(weights) < servers + 20:
        line = len(weights) - servers
        step = weights[-1] * arrive / (servers * serve + line * leave)
        weights.append(step.limit_denominator(10**40))
    whole = sum(weights)
    line_weights = [weight / whole for weight in weights[servers:]]
    leaving = leave * sum(count * weight for count, weight in enumerate(line_weights))
    return sum(line_weights, Fraction(0)), leaving / arrive, line_weights


def _served_within(load: Load, servers: int, line: int, seconds: float) -> float:
    """Return P(served in time) of a visitor who finds all busy and `line` waiting.

    It is computed by the marked visitor's chain.

    Uniformized: in a Poisson number of steps a visitor ahead leaves, or the marked one gives up.
    """
    serve, leave = servers / load.room_seconds, 1 / (load.patience_seconds or math.inf)
    pace = serve + (line + 1) * leave
    here = [0.0] * (line + 1)  # by the number ahead
    here[line], served, told, steps = 1.0, 0.0, 0.0, 0
    chance = math.exp(-pace * seconds)
    while steps < pace * seconds + 12 * math.sqrt(pace * seconds + 1) + 20:
        told += chance * served
        after = [0.0] * (line + 1)
        for ahead, weight in enumerate(here):
            on = (serve + ahead * leave) / pace
            if ahead:
                after[ahead - 1] += weight * on
            else:
                served += weight * on
            after[ahead] += weight * (1 - on - leave / pace)
        here = after
        steps += 1
        chance *= pace * seconds / steps
    return told


@pytest.mark.parametrize(("load", "servers", "within"), CASES)
def test_erlang_a_is_the_chains_law(load: Load, servers: int, within: float) -> None:
    told = service(load, servers, within)
    waits, gave_up, line = _chain(load, servers)
    assert told.waits == pytest.approx(float(waits), rel=1e-9)
    assert told.gave_up == pytest.approx(float(gave_up), rel=1e-9)
    assert told.mean_wait == pytest.approx(float(gave_up) * (load.patience_seconds or 0), rel=1e-9)
    in_line = sum(
        float(weight) * _served_within(load, servers, count, within)
        for count, weight in enumerate(line)
        if weight > 1e-12
    )
    assert told.level == pytest.approx(1 - float(waits) + in_line, abs=1e-8)


@pytest.mark.parametrize(("load", "servers", "within"), CASES)
def test_short_abandons_are_left_out_above_and_below_the_line(
    load: Load, servers: int, within: float
) -> None:
    short = 5.0
    whole = service(load, servers, within)
    told = service(load, servers, within, short_seconds=short)
    assert load.patience_seconds is not None
    # visitors served within five seconds, or still waiting then, did not leave before
    leaves = 1 - math.exp(-short / load.patience_seconds)
    left_short = 1 - whole.level / told.level
    assert 0 < left_short < whole.waits * leaves
    assert told.gave_up == pytest.approx((whole.gave_up - left_short) / (1 - left_short))


def test_endless_patience_is_erlang_c_and_a_little_is_a_loss_system() -> None:
    for agents in (11, 14, 20):
        near = service(Load(200, 180, 1e7), agents, 20)
        told = service(CALLS, agents, 20)
        assert near.waits == pytest.approx(told.waits, rel=1e-3)
        assert near.level == pytest.approx(told.level, rel=1e-3)
        assert near.mean_wait == pytest.approx(told.mean_wait, rel=1e-3)
    hasty = service(Load(200, 180, 1e-6), 11, 20)
    assert hasty.gave_up == pytest.approx(0.1632, abs=1e-4)  # Erlang B of 10 erlangs, 11 lines


def test_any_load_has_an_answer_and_more_agents_never_harm() -> None:
    for load in (Load(0, 60), Load(0, 60, 60), Load(36_000, 600, 7_200), Load(1e-6, 1, 10)):
        before = -1.0
        for servers in (0, 1, 2, 5, 50, 1_000, 5_900, 6_100, 10_000):
            told = service(load, servers, 20, short_seconds=5)
            assert all(0 <= share <= 1 for share in (told.waits, told.level, told.gave_up))
            assert told.level >= before - 1e-9
            before = told.level
    assert service(CALLS, 10, 20) == Service(1.0, 0.0, 0.0, math.inf, 1.0)
    assert service(PEOPLE, 0, 20) == Service(1.0, 0.0, 1.0, 120, 0.0)


def test_the_fewest_servers_are_the_fewest() -> None:
    for load in (CALLS, PEOPLE, Load(7, 300, 200), Load(0, 300)):
        few = servers_needed(load, 0.8, 20, short_seconds=5)
        assert service(load, few, 20, short_seconds=5).level >= 0.8
        assert few == 0 or service(load, few - 1, 20, short_seconds=5).level < 0.8


@pytest.mark.parametrize(
    "given", [(-1, 60, None), (1, 0, None), (1, 60, 0), (math.nan, 60, None), (1, math.inf, None)]
)
def test_what_is_no_load_is_refused(given: tuple[float, float, float | None]) -> None:
    with pytest.raises(ValueError):
        Load(*given)


def test_what_is_no_question_is_refused() -> None:
    for servers, within in ((-1, 20), (10_001, 20), (5, -1)):
        with pytest.raises(ValueError):
            service(CALLS, servers, within)
    with pytest.raises(ValueError):
        servers_needed(CALLS, 1.0, 20)
    with pytest.raises(ValueError):
        servers_needed(Load(3_600 * 1e4, 600), 0.8, 20)
