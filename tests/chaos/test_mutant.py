"""A mutant runs its change, a module's in scripts and libraries alike, or reports none."""

import pytest

from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate
from tests.admission.gate_support import SLUG, gate_on
from tests.chaos.mutant import ROOT, Mutation, apply, swap_scripts

pytestmark = pytest.mark.prove  # apply() has all frozen objects searched for garbage again

MODULE = ROOT / "queueing" / "admission" / "lua" / "modules" / "checks.lua"


def test_a_mutation_that_would_change_nothing_is_refused() -> None:
    mutation = Mutation(ROOT / "manage.py", "no such text", "")
    with pytest.raises(ValueError, match="is found 0 times"):
        mutation.of((ROOT / "manage.py").read_text())


def test_a_mutation_of_what_does_not_run_is_refused() -> None:
    file = ROOT / "billing" / "persistence" / "statements.py"
    with pytest.raises(ValueError, match="nothing that runs is changed"):
        apply(Mutation(file, "# The row itself compares the writer's fence", "# A comment"))


def test_a_changed_module_is_what_runs_by_a_script_and_by_the_library(
    clean_redis: RedisServer,
) -> None:
    with gate_on(clean_redis.url) as bench:
        bench.create()

        def reasons() -> tuple[str, str]:
            """Return why a bad holder is refused: by EVAL, and as our own processes call it."""
            with pytest.raises(gate.GateRefusedError) as refused:
                bench.run(gate.acquire(SLUG, ""))
            return bench.raw("acquire", "")[3], str(refused.value)

        try:
            apply(
                Mutation(MODULE, "return { '-1', '', '', reason }", "return { '-1', '', '', 'x' }")
            )
            assert reasons() == ("x", "x")
        finally:
            swap_scripts(MODULE, MODULE.read_text())
        assert reasons() == ("malformed holder", "malformed holder")


def test_a_mutation_of_a_module_that_changes_no_script_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing that runs is changed"):
        apply(Mutation(MODULE, "-- The form that arguments must have.", "-- Another comment."))
