"""The judge of money: what it must notice, without the processes."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.chaos import money, money_sockets
from tests.chaos.money import BrokenBooksError, Charged

PRICES = {"native_card": 300, "video": 800, "yuexin_resolved": 500}


def charged(state: str = "settled", mode: str = "video", net: int = 800, **more: Any) -> Charged:
    said: dict[str, Any] = {"account": "a", "message_id": "m1", "quoted": 800, "prices": PRICES}
    return Charged(**(said | {"state": state, "mode": mode, "net": net} | more))


def ledger(*facts: dict[str, Any]) -> Any:
    return money.read_ledger(json.dumps({"account": "a", "id": "m1"} | fact) for fact in facts)


@pytest.mark.parametrize(
    "right",
    [
        charged(),
        charged(mode="native_card", net=300),
        charged("failed", "", 0),
        charged("expired", "", 0),
        charged("cancelled", "", 0),
        charged("sent", "", 800),
        charged("held", "", 800),
        charged("settled", "yuexin_resolved", 500),
        charged("settled", "yuexin_resolved", 400, quoted=400),
        charged("parked", "video", 0),
    ],
)
def test_the_stored_price_of_the_state_is_right(right: Charged) -> None:
    money.check_charges([right])


@pytest.mark.parametrize(
    "wrong",
    [
        charged(net=0),
        charged(net=1_600),
        charged(mode="native_card", net=800),
        charged("failed", "", 800),
        charged("sent", "", 0),
        charged("settled", "yuexin_resolved", 500, quoted=400),
    ],
)
def test_any_other_charge_is_noticed(wrong: Charged) -> None:
    with pytest.raises(BrokenBooksError):
        money.check_charges([charged(), wrong])


def test_batches_with_a_hole_are_noticed() -> None:
    money.check_batches([])
    with pytest.raises(BrokenBooksError):
        money.check_batches([(1, 1, 2, 10, 12)])


def test_what_was_delivered_and_not_paid_is_the_difference() -> None:
    delivered = ledger({"op": "accept"}, {"op": "end", "m": "video"})
    key = ("a", "m1")
    assert money.difference(delivered, {key: charged()}) == 0
    assert money.difference(delivered, {key: charged("expired", "", 0)}) == 800
    assert money.difference(delivered, {key: charged("sent", "", 800)}) == 0
    assert money.difference(delivered, {}) == 0
    failed = ledger({"op": "accept"}, {"op": "end", "m": ""})
    assert money.difference(failed, {key: charged()}) == -800


def test_the_ledger_is_read_up_to_its_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "gateway.jsonl"
    lines = [{"op": "accept", "account": "a", "id": f"m{n}"} for n in range(2)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"op": "acc')
    stack: Any = SimpleNamespace(folder=tmp_path)
    assert money.handed_over(stack) == 2
    told = ledger({"op": "accept"}, {"op": "report", "place": 0}, {"op": "report", "place": 1})
    assert told[("a", "m1")].told == 2


class FakeRedis:
    """A client that returns what the test sets."""

    def __init__(self, *answer: str | None) -> None:
        self.answer = answer

    def __enter__(self) -> "FakeRedis":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def hmget(self, *_: object) -> tuple[str | None, ...]:
        return self.answer


def stack_with(*answer: str | None, recovering: tuple[str, ...] = (), red: bool = False) -> Any:
    said = SimpleNamespace(returncode=int(red), stdout="red books", stderr="")
    return SimpleNamespace(
        simulation={"chatbots": [{"account": "a"}]},
        folder=Path("/nonexistent"),
        sql=lambda *_: [(slug,) for slug in recovering],
        redis_client=lambda: FakeRedis(*answer),
        manage=lambda *_: said,
    )


@pytest.mark.parametrize(
    ("stack", "said"),
    [
        (stack_with("o1", "5", "0", recovering=("a",)), "safe mode"),
        (stack_with("r1", "5", "0"), "not open"),
        (stack_with(None, None, None), "not open"),
        (stack_with("o1", "5", "0", red=True), "red books"),
        (stack_with("o1", "5", "0"), ""),
    ],
)
def test_what_is_not_healed_is_named(stack: Any, said: str) -> None:
    problem = money.first_problem(stack, -1)
    assert said in problem
    assert bool(problem) == bool(said)


def test_a_balance_below_zero_is_no_matter_of_healing() -> None:
    with pytest.raises(BrokenBooksError):
        money.first_problem(stack_with("o1", "-1", "0"), -1)


def test_money_that_does_not_flow_again_is_not_healed() -> None:
    assert "no message" in money.first_problem(stack_with("o1", "5", "0"), 0)


# -- what faults of money judge while they last ----------------------------------------------------


def frame(previous: int | None, seq: int, spendable: str = "1.0000") -> dict[str, Any]:
    figures = {"spendable": spendable, "held": "0.0000", "receivable": "0.0000", "status": "open"}
    return {"previous": previous, "balance": {"seq": seq} | figures}


def test_a_reader_knows_of_a_gap_and_of_a_step_back() -> None:
    reader = money_sockets.Reader(1)
    assert not reader.take(frame(None, 5))
    assert not reader.take(frame(5, 6))
    assert reader.take(frame(8, 9))
    assert (reader.gaps, reader.frames, reader.wrong) == (1, 3, "")
    reader.take(frame(9, 7))
    assert "went back" in reader.wrong


def test_what_a_reader_shows_must_be_what_is_stored() -> None:
    reader = money_sockets.Reader(1)
    reader.take(frame(None, 5))
    storm = money_sockets.Storm(readers=[reader])
    assert "never showed" in money_sockets.shown_is_stored(storm)[0]
    storm.stored[5] = frame(None, 5)["balance"]
    assert money_sockets.shown_is_stored(storm) == []
    storm.stored[5] = frame(None, 5, "2.0000")["balance"]
    assert "other figures" in money_sockets.shown_is_stored(storm)[0]


@pytest.mark.parametrize(
    ("drained", "early"), [("8", {}), ("9", {}), ("10", {"a": (10, 9)}), (None, {})]
)
def test_a_trim_before_sql_has_it_is_noticed(drained: str | None, early: dict[str, Any]) -> None:
    stack: Any = SimpleNamespace(
        sql=lambda query, *_: [("a", 5, 9)] if "w.generation" in query else [(9,)],
        redis_client=lambda: FakeRedis("5", drained),
    )
    assert money.trimmed_too_early(stack) == early
