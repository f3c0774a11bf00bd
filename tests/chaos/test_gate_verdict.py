"""The judge of the gate's proof sees every violation."""

import dataclasses

import pytest

from tests.chaos.gate_verdict import SMALL, BrokenProofError, Verdict, large


def _held() -> Verdict:
    batch = {"total": 160, "pending": 0, "issued": 0, "done": 158, "failed": 2, "expired": 0}
    return Verdict(
        SMALL,
        most=SMALL.cap,
        pieces=170,
        use=0.97,
        samples=60,
        kills=3,
        sql={"ends": {"1": 160}, "batch": batch},
        left={"permits": 0, "waiting": 0},
    )


@pytest.mark.parametrize(
    "broken",
    [
        {"most": SMALL.cap + 1},
        {"kills": 0},
        {"pieces": 150},
        {"use": 0.94},
        {"samples": 2},
        {"left": {"permits": 1}},
        {"sql": {"ends": {"1": 159, "2": 1}, "batch": _held().sql["batch"]}},
        {"sql": {"ends": {"1": 159, "0": 1}, "batch": _held().sql["batch"]}},
        {"sql": {"ends": {"1": 160}, "batch": {**_held().sql["batch"], "issued": 1}}},
        {"sql": {"ends": {"1": 160}, "batch": {**_held().sql["batch"], "done": 157}}},
    ],
)
def test_the_judge_sees_whatever_does_not_hold(broken: dict[str, object]) -> None:
    _held().check()
    with pytest.raises(BrokenProofError):
        dataclasses.replace(_held(), **broken).check()


def test_the_large_proof_is_of_the_size_that_was_asked_for() -> None:
    assert (large(10_000).devices, large(10_000).cap) == (10_000, 2_000)
