"""The tests must notice when a safeguard is taken out: each mutant is run against its own test."""

import os
import subprocess
import sys
from dataclasses import dataclass

import pytest

from tests.chaos.mutant import ROOT, VARIABLES, Mutation

LONGEST_SECONDS = 180  # a busy machine migrates slowly
# The mutant comes first: what pytest's own plugins import of the product is changed as well.
START = "import sys, tests.chaos.mutant, pytest; sys.exit(pytest.main(sys.argv[1:]))"


@dataclass(frozen=True)
class Case:
    """A safeguard: where it stands, what is put in its place, and the test that guards it."""

    file: str
    old: str
    new: str
    test: str


CASES = {
    "the call id makes a repeated call harmless": Case(
        "numbers/lua/include/one_call.lua",
        "  if kind == 76 then -- L: in a call\n",
        "  if false then\n",
        "tests/numbers/test_pool_calls.py::test_a_call_with_the_same_id_gets_the_same_number",
    ),
    "of two drains only one moves the cursor": Case(
        "poolsite/history/services.py",
        "rows = Cursor.objects.filter(pk=cursor.pk, generation=cursor.generation, seq=cursor.seq)",
        "rows = Cursor.objects.filter(pk=cursor.pk)",
        "tests/history/test_drain.py::test_a_drain_that_was_overtaken_writes_nothing",
    ),
    "rows are unique by generation and sequence number": Case(
        "poolsite/history/services.py",
        "        if row.seq in stored:\n",
        "        if False:\n",
        "tests/history/test_drain.py::test_an_exact_replay_of_rows_is_absorbed",
    ),
    "a conflict with a stored row is a fault": Case(
        "poolsite/history/services.py",
        "            _compare(model, row, stored[row.seq])\n",
        "            pass\n",
        "tests/history/test_drain.py"
        "::test_other_content_under_a_known_number_is_a_fault_that_is_shown_and_commits_nothing",
    ),
    "a superseded incarnation changes nothing": Case(
        "numbers/lua/include/machinery_switches.lua",
        "      return nil, 'stale incarnation'\n",
        "      local _ = nil\n",
        "tests/numbers/test_pool_switches.py"
        "::test_a_superseded_incarnation_is_stale_and_changes_nothing",
    ),
    "a report before the load counts for nothing": Case(
        "numbers/lua/include/machinery_switches.lua",
        " or call('HGET', POOL, 'loaded') ~= '1' then return end",
        " then return end",
        "tests/numbers/test_pool_switches.py"
        "::test_a_list_that_came_before_the_numbers_counts_for_nothing",
    ),
    "the wallet's row refuses a writer with an older fence": Case(
        "billing/persistence/statements.py",
        '    " AND fence <= %(fence)s"\n)',
        '    " AND %(fence)s >= 0"\n)',
        "tests/billing/books/test_writing.py"
        "::test_the_row_refuses_a_writer_with_an_older_fence_and_only_that_row",
    ),
    "an operation id moves money once": Case(
        "billing/lua/move.lua",
        "local receipt = call('HGET', OPERATIONS, operation)\n",
        "local receipt = nil\n",
        "tests/billing/books/test_outbox.py::test_an_order_whose_answer_was_lost_is_applied_once",
    ),
    "a journal row is unique by generation and sequence number": Case(
        "billing/migrations/0001_initial.py",
        "fields=('wallet', 'generation', 'seq'), name='billing_journal_once'",
        "fields=('id', 'generation', 'seq'), name='billing_journal_once'",
        "tests/billing/books/test_writing.py::test_sql_takes_no_second_row_of_an_entry_or_a_batch",
    ),
    "a batch is unique by its number": Case(
        "billing/migrations/0001_initial.py",
        "fields=('wallet', 'generation', 'batch_number'), name='billing_batch_once'",
        "fields=('id', 'generation', 'batch_number'), name='billing_batch_once'",
        "tests/billing/books/test_writing.py::test_sql_takes_no_second_row_of_an_entry_or_a_batch",
    ),
    "a written batch is a repeat": Case(
        "billing/persistence/writing.py",
        "    if batch.batch_number <= head.batch_number:\n",
        "    if False:\n",
        "tests/billing/books/test_writing.py"
        "::test_a_batch_that_sql_has_is_a_repeat_and_changes_nothing",
    ),
    "an old life ends only where nothing newer came": Case(
        "billing/lua/destroy.lua",
        "if ARGV[2] and ARGV[2] ~= '' and ARGV[2] ~= acct[2] then return",
        "if false then return",
        "tests/billing/books/test_rebuilding.py"
        "::test_a_refund_between_persisting_and_the_end_of_the_old_life_is_not_lost",
    ),
    "what a lost life had applied is ordered anew": Case(
        "billing/services/rebuilding.py",
        "        reopened = outbox.reopen_lost(locked)\n",
        "        reopened = 0\n",
        "tests/billing/books/test_rebuilding.py"
        "::test_a_movement_that_never_reached_the_journal_is_applied_again_and_others_are_not",
    ),
    "a promoted server's aggregates are closed first": Case(
        "poolsite/hotpath/promotion.py",
        '        if self.lineage in ("", REPLICA):\n',
        "        if True:\n",
        "tests/hotpath/test_promotion.py::test_a_promoted_server_closes_an_aggregate_once",
    ),
}


def run(test: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run one test in a process of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-c", START, "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", test],
        cwd=ROOT,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_suite_goes_red_without(name: str) -> None:
    case = CASES[name]
    mutated = dict(zip(VARIABLES, (case.file, case.old, case.new), strict=True))
    done = run(case.test, **mutated)
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-1000:]
    assert " failed" in done.stdout or " error" in done.stdout, done.stdout[-3000:]


def test_a_mutation_that_would_change_nothing_is_refused() -> None:
    mutation = Mutation(ROOT / "manage.py", "no such text", "")
    with pytest.raises(ValueError, match="stands there 0 times"):
        mutation.of((ROOT / "manage.py").read_text())


def test_the_mutant_alone_leaves_a_test_green() -> None:
    case = CASES["a superseded incarnation changes nothing"]
    done = run(case.test)
    assert done.returncode == 0, done.stdout[-3000:]
