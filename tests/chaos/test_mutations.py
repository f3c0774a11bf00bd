"""The tests must notice when a safeguard is removed: each mutant is run against its own test."""

import sys
from collections.abc import Iterator

import pytest

from tests.chaos.call_mutations import CALL_CASES
from tests.chaos.desk_mutations import DESK_CASES
from tests.chaos.gate_mutations import GATE_CASES
from tests.chaos.group_mutations import GROUP_CASES
from tests.chaos.invoice_mutations import INVOICE_CASES
from tests.chaos.mutant import EVERY_TEST, Case, Mutants, killed_by, warmed
from tests.chaos.number_mutations import NUMBER_CASES
from tests.chaos.wallet_mutations import WALLET_CASES

pytestmark = [pytest.mark.prove, pytest.mark.background]


CASES = {
    **DESK_CASES,
    **WALLET_CASES,
    **GATE_CASES,
    **GROUP_CASES,
    **NUMBER_CASES,
    **CALL_CASES,
    **INVOICE_CASES,
    "of two drains only one moves the cursor": Case(
        "poolsite/history/services.py",
        "rows = Cursor.objects.filter(pk=cursor.pk, generation=cursor.generation, seq=cursor.seq)",
        "rows = Cursor.objects.filter(pk=cursor.pk)",
        "tests/history/test_drain.py::test_a_drain_that_was_overtaken_writes_nothing",
    ),
    "rows are unique by generation and sequence number": Case(
        "poolsite/history/services.py",
        '        if row["seq"] in stored:\n',
        "        if False:\n",
        "tests/history/test_drain.py::test_an_exact_replay_of_rows_is_absorbed",
    ),
    "a conflict with a stored row is a fault": Case(
        "poolsite/history/services.py",
        '            _compare(model, row, stored[row["seq"]])\n',
        "            pass\n",
        "tests/history/test_drain.py"
        "::test_other_content_under_a_known_number_is_a_fault_that_is_shown_and_commits_nothing",
    ),
    "only a number that SQL has here is confirmed": Case(
        "numbers/services/confirming.py",
        "for row in Number.objects.filter(pool=pool, value__in=values)",
        "for row in Number.objects.filter(value__in=values)",
        "tests/numbers/test_services_added.py"
        "::test_the_same_twelve_numbers_in_two_pools_are_in_calls_in_one_only",
    ),
    "the wallet's row refuses a writer with an older fence": Case(
        "billing/persistence/statements.py",
        '    " AND fence <= %(fence)s"\n)',
        '    " AND %(fence)s >= 0"\n)',
        "tests/billing/books/test_writing.py"
        "::test_the_row_refuses_a_writer_with_an_older_fence_and_only_that_row",
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
    "four eyes are two people's": Case(
        "billing/services/adjustments.py",
        "    if asker.pk == decider.pk:\n",
        "    if False:\n",
        "tests/billing/recharge/test_adjustments.py"
        "::test_who_asked_cannot_approve_not_even_past_the_service",
    ),
    "a token reaches its own tenant alone": Case(
        "poolsite/access/actions.py",
        "        if scope.account_id is not None and _tenant(thing) != scope.account_id:\n",
        "        if False:\n",
        "tests/access/test_decide.py::test_the_answer_follows_from_principal_action_and_thing",
    ),
    "an invitation is accepted once": Case(
        "poolsite/access/services/invitations.py",
        "    if found is None or not invitation_works(found):\n",
        "    if found is None:\n",
        "tests/access/test_invitations.py::test_a_link_that_two_opened_serves_the_first",
    ),
    "a new password ends sessions": Case(
        "poolsite/access/lookup.py",
        '    if user is None or not _carries_hash(user, data.get(HASH_SESSION_KEY, "")):\n',
        "    if user is None:\n",
        "tests/access/test_log_in.py::test_a_new_password_ends_the_sockets_of_every_session",
    ),
    "a session ends, however often it is used": Case(
        "poolsite/access/lookup.py",
        "expires_at=min(float(started) + settings.SESSION_ABSOLUTE_SECONDS, idle_end)",
        "expires_at=idle_end",
        "tests/access/test_log_in.py::test_a_socket_ends_with_its_session_at_the_absolute_limit",
    ),
    "rights that were read before a change are not remembered": Case(
        "poolsite/access/rights/cache.py",
        "            if HUB.epoch != epoch or not HUB.is_listening():\n",
        "            if not HUB.is_listening():\n",
        "tests/access/test_rights.py::test_what_was_read_before_a_change_is_not_remembered",
    ),
}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, bool]:
    """For each mutant that was tried, whether its test noticed it."""
    return {}


@pytest.fixture(scope="module")
def mutants(
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    verdicts: dict[str, bool],
) -> Iterator[Mutants]:
    """The process that has imported everything. At its end, report how many mutants were killed."""
    tests = sorted({case.test for case in CASES.values()})
    with warmed(tmp_path_factory.mktemp("mutants"), tests) as process:
        yield process
    told = f"\nmutants killed: {sum(verdicts.values())} of {len(verdicts)}"
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():  # xdist's workers have only standard error
        print(told, file=sys.stderr)


def test_without_a_mutant_all_of_these_tests_are_green(mutants: Mutants) -> None:
    code, output = mutants.run(EVERY_TEST)
    assert code == 0, output[-3000:]


@pytest.mark.parametrize("name", CASES)
def test_the_suite_goes_red_without(name: str, mutants: Mutants, verdicts: dict[str, bool]) -> None:
    case = CASES[name]
    code, output = mutants.run(case)
    verdicts[name] = code == 1 and killed_by(case.test) in output
    assert verdicts[name], f"pytest's exit code is {code}:\n{output[-3000:]}"
