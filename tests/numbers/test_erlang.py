"""Erlang B against the published tables."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numbers import erlang


@pytest.mark.parametrize(
    ("offered", "lines", "expected"),
    [
        # ITU-T / Siemens "Telephone Traffic Theory" table of traffic for a given loss:
        # (A, N) pairs at which the loss is the named one.
        (0.0101, 1, 0.01),
        (0.153, 2, 0.01),
        (1.36, 5, 0.01),
        (4.461, 10, 0.01),
        (12.031, 20, 0.01),
        (37.901, 50, 0.01),
        (84.064, 100, 0.01),
        (0.1111, 1, 0.1),
        (7.51, 10, 0.1),
        (2.22, 5, 0.05),
        (15.2, 20, 0.05),
    ],
)
def test_blocking_equals_the_published_table(offered: float, lines: int, expected: float) -> None:
    assert erlang.blocking(offered, lines) == pytest.approx(expected, rel=0.02)


def test_blocking_equals_the_formula_by_factorials() -> None:
    terms = [1.0]
    for k in range(1, 13):
        terms.append(terms[-1] * 8.5 / k)
    assert erlang.blocking(8.5, 12) == pytest.approx(terms[12] / sum(terms), rel=1e-12)


def test_no_load_is_never_blocked_and_no_line_always() -> None:
    assert erlang.blocking(0, 1) == 0
    assert erlang.blocking(0, 0) == 1
    assert erlang.blocking(3.0, 0) == 1


def test_a_million_lines_neither_overflow_nor_take_forever() -> None:
    assert erlang.blocking(10.0, 1_000_000) == 0.0


def test_lines_needed_is_the_fewest_under_one_percent() -> None:
    needed = erlang.lines_needed(84.1, 0.01)
    assert erlang.blocking(84.1, needed) < 0.01 <= erlang.blocking(84.1, needed - 1)
    assert needed in (100, 101)


@given(st.floats(0.01, 500), st.floats(0.0001, 0.5))
def test_lines_needed_is_always_just_enough(offered: float, target: float) -> None:
    needed = erlang.lines_needed(offered, target)
    assert erlang.blocking(offered, needed) < target
    assert erlang.blocking(offered, needed - 1) >= target


def test_a_curve_holds_the_same_values_and_falls() -> None:
    points = erlang.curve(20.0, range(10, 40, 3))
    assert [lines for lines, _ in points] == list(range(10, 40, 3))
    assert [share for _, share in points] == pytest.approx(
        [erlang.blocking(20.0, lines) for lines, _ in points]
    )
    assert all(a > b for (_, a), (_, b) in itertools.pairwise(points))


@pytest.mark.parametrize("target", [0.0, 1.0, -1.0, 2.0])
def test_a_target_outside_zero_to_one_is_refused(target: float) -> None:
    with pytest.raises(ValueError):
        erlang.lines_needed(5.0, target)
