"""A callback at the desk: one intent for a visit, confirmed, renewed, ended, forgotten."""

from queueing.line import desk
from tests.line.desk.desk_support import SLUG, DeskUnderTest


def test_a_call_back_has_one_intent_until_it_is_forgotten(line: DeskUnderTest) -> None:
    line.agent(7, 1, online=True)
    line.join("a")

    def ask(agent: int = 7, callee: str = "+8613900001111") -> desk.CallBack:
        found = line.run(
            desk.call_ask(SLUG, agent, "a", callee, pool="retail", look_after_seconds=15)
        )
        assert isinstance(found, desk.CallBack)
        return found

    assert ask(8).answer == "not_yours"
    assert ask(callee="x y").answer == "malformed callee"
    asked = ask()
    assert (asked.answer, asked.state, asked.in_room) == ("ok", "asked", True)
    again = ask()
    assert (again.answer, again.operation) == ("repeat", asked.operation)
    assert line.run(desk.calls_due(SLUG)) == []
    kept = line.run(
        desk.call_keep(SLUG, "a", asked.operation, number="13800", look_after_seconds=60)
    )
    assert (kept.state, kept.number) == ("running", "13800")
    assert [call.number for call in line.run(desk.calls_of(SLUG, ["a", "b"]))] == ["13800"]
    line.finish(7, "a")  # the room's end brings the check forward
    due = line.run(desk.calls_due(SLUG))
    assert [(call.operation, call.in_room) for call in due] == [(asked.operation, False)]
    late = desk.call_keep(SLUG, "a", asked.operation, look_after_seconds=60)
    assert line.run(late).answer == "over"
    assert line.run(desk.call_end(SLUG, "a", agent=8, look_after_seconds=9)).answer == "not_yours"
    assert line.run(desk.call_end(SLUG, "a", agent=7, look_after_seconds=9)).state == "ending"
    assert ask().answer == "busy"
    assert line.run(desk.call_forget(SLUG, "a", "another")).answer == "repeat"
    assert line.run(desk.call_forget(SLUG, "a", asked.operation)).answer == "ok"
    assert line.run(desk.call_end(SLUG, "a", look_after_seconds=9)).answer == "repeat"
    assert line.run(desk.calls_of(SLUG, ["a"])) == []
    kinds = [entry["k"] for entry in line.log()]
    assert [kind for kind in kinds if kind.startswith("call")] == [
        *("call", "called", "call_over", "call_end")
    ]
