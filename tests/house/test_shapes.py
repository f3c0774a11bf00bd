"""Code that two apps have in common is in `poolsite`, once."""

import pytest

from tests.house.shapes import RUN, copies, product

GATE = '''
def gate_pause(*, actor: Actor, gate: Gate, reason: str) -> Gate:
    """Let nobody in until resumed."""
    require(actor, "admission.operate", gate)
    act = Act(actor, "admission.gate_pause", clean_reason(reason, needed=True))
    with transaction.atomic():
        gate = locked(gate)
        if aggregates.pause(gate, act):
            send_after_commit(gate, lambda: apply_pause(gate))
    return gate


def gate_open_early(*, actor: Actor, gate: Gate, reason: str) -> Gate:
    require(actor, "admission.operate", gate)
    act = Act(actor, "admission.gate_open_early", clean_reason(reason, needed=True))
    with redis_refusals():  # the door's own
        told = hotpath.run(door.open_now(gate.slug, act.reason, paused=gate.paused_at is not None))
    with transaction.atomic():
        gate = locked(gate)
        aggregates.open_early(gate, act, was_open=told == door.reasons.REPEAT)
    return gate


def _forget(gate: Gate) -> None:
    hotpath.run(door.destroy(gate.slug, gate.generation))
    UnsentChange.objects.filter(gate=gate).delete()
    forgotten[gate.slug] = 1
'''
POOL = GATE.replace("gate", "pool").replace("Gate", "Pool").replace("admission", "numbers")


@pytest.mark.processes
def test_no_app_has_a_copy_of_anothers_code():
    assert copies(product()) == []


def test_a_copy_with_other_names_texts_and_comments_is_found():
    pool = POOL.replace("  # the door's own", "").replace("Let nobody in until", "Until it is")
    pool = f"from numbers import pool as door\nLIMIT = 5\n\n\n{pool}"
    (said,) = copies({"admission": {"gates.py": GATE}, "numbers": {"pools.py": pool}})
    assert said.startswith(f"gates.py:2 and pools.py:6 have {RUN} lines")


def test_a_shorter_copy_a_copy_within_an_app_and_a_table_are_left_alone():
    short = POOL.partition("def _forget")[0]
    assert copies({"admission": {"gates.py": GATE}, "numbers": {"pools.py": short}}) == []
    assert copies({"admission": {"gates.py": GATE, "others.py": POOL}}) == []
    table = "ROWS = (\n" + '    ("a", 1),\n' * 40 + ")\n"
    assert copies({"admission": {"rows.py": table}, "numbers": {"rows.py": table}}) == []
