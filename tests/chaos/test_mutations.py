"""The tests must notice when a safeguard is taken out: each mutant is run against its own test."""

import sys
from collections.abc import Iterator

import pytest

from tests.chaos.gate_mutations import GATE_CASES
from tests.chaos.mutant import EVERY_TEST, Case, Mutants, killed_by, warmed
from tests.chaos.wallet_mutations import WALLET_CASES

pytestmark = pytest.mark.prove


CASES = {
    **GATE_CASES,
    **WALLET_CASES,
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
    "a proxy's calls outlive its restart": Case(
        "numbers/lua/include/machinery_switches.lua",
        "    if not find('\\t' .. (fields[4] or '')",
        "    if false and not find('\\t' .. (fields[4] or '')",
        "tests/numbers/test_pool_proxies.py"
        "::test_a_new_incarnation_frees_none_of_twelve_running_calls",
    ),
    "a media server's calls end with it": Case(
        "numbers/lua/include/machinery_switches.lua",
        "    if not find('\\t' .. (fields[4] or '')",
        "    if true or not find('\\t' .. (fields[4] or '')",
        "tests/numbers/test_pool_switches.py"
        "::test_a_new_incarnation_releases_the_switchs_calls_and_no_others",
    ),
    "lists of two lives are not two in a row": Case(
        "numbers/lua/include/machinery_switches.lua",
        "us(sub(list, 31) + 1))",
        "us(sub(list, 31) + 0))",
        "tests/numbers/test_pool_proxies.py"
        "::test_what_the_incarnation_before_did_not_list_is_no_miss_of_the_new_one",
    ),
    "a number that a script adds waits for SQL": Case(
        "numbers/lua/include/one_other.lua",
        "rule == 'confirm' and 'u' or ''",
        "''",
        "tests/numbers/test_services_added.py"
        "::test_the_same_twelve_numbers_in_two_pools_are_in_calls_in_one_only",
    ),
    "an unconfirmed number takes no inbound call": Case(
        "numbers/lua/include/one_call.lua",
        "find(held, '[xu]') then -- u",
        "find(held, 'x') then -- u",
        "tests/numbers/test_pool_added.py::test_an_unconfirmed_number_is_not_lent_in_any_way",
    ),
    "a live list does not bring an unconfirmed number into a call": Case(
        "numbers/lua/live_list.lua",
        "not find(held, '[xu]') then",
        "not find(held, 'x') then",
        "tests/numbers/test_pool_added.py::test_an_unconfirmed_number_is_not_lent_in_any_way",
    ),
    "a confirmation is of one add": Case(
        "numbers/lua/include/machinery_calls.lua",
        " or since ~= (added_at or since) then",
        " then",
        "tests/numbers/test_pool_added.py::test_a_later_add_of_the_same_number_is_not_meant",
    ),
    "only a number that SQL has here is confirmed": Case(
        "numbers/services/confirming.py",
        "ours = set(Number.objects.filter(pool=pool, value__in=values)",
        "ours = set(Number.objects.filter(value__in=values)",
        "tests/numbers/test_services_added.py"
        "::test_the_same_twelve_numbers_in_two_pools_are_in_calls_in_one_only",
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
    "a number in a call is not lent again": Case(
        "numbers/lua/include/one_call.lua",
        "  if b == '1' then\n    outcome, reason = '-1', find(props",
        "  if false then\n    outcome, reason = '-1', find(props",
        "tests/numbers/test_pool_calls.py::test_an_inbound_call_to_a_busy_number_is_refused",
    ),
    "a voucher pays for one call": Case(
        "numbers/lua/include/one_call.lua",
        "if paid ~= '' then call('HDEL', POOL, 'v:' .. paid) end\n",
        "\n",
        "tests/numbers/test_pool_picking.py::test_a_charged_pool_wants_a_voucher_that_works_once",
    ),
    "an offer is accepted by its own token": Case(
        "queueing/line/lua/accept.lua",
        "if v.state ~= 'o' or v.token ~= ARGV[3] then",
        "if v.state ~= 'o' then",
        "tests/line/desk/test_desk_events.py"
        "::test_in_offer_mode_a_late_accept_changes_nothing_and_misses_pause_the_agent",
    ),
    "a frame is done once": Case(
        "queueing/dispatch/lua/include/inbound.lua",
        "  if number + 0 <= before then",
        "  if false then",
        "tests/dispatch/dispatcher/test_router.py"
        "::test_a_repeated_frame_does_nothing_and_a_missing_one_closes",
    ),
    "who beats keeps its id": Case(
        "queueing/dispatch/lua/register_back.lua",
        "if p and p.state == 'a' and p.incarnation ~= ARGV[3] then",
        "if false then",
        "tests/dispatch/dispatcher/test_register.py"
        "::test_same_id_other_incarnation_while_the_old_link_beats_is_refused",
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
    "a voucher that was taken back is not written again": Case(
        "numbers/lua/voucher.lua",
        "if gone then return { '1', '', '', 'taken' } end\n",
        "\n",
        "tests/numbers/test_pool_picking.py::test_a_voucher_ends_and_can_be_taken_back",
    ),
    "a desk that recovers gives nobody to an agent": Case(
        "queueing/line/lua/include/matching.lua",
        "  while status == 'o' and stands(a) ~= '' do\n",
        "  while stands(a) ~= '' do\n",
        "tests/line/desk/test_desk_events.py"
        "::test_after_a_loss_places_come_back_by_arrival_and_matching_waits",
    ),
    "nobody arrives later than now": Case(
        "queueing/line/lua/join.lua",
        "math.min(arrived + 0, now)",
        "(arrived + 0)",
        "tests/line/desk/test_desk_events.py::test_nobody_arrives_later_than_now",
    ),
}


@pytest.fixture(scope="module")
def verdicts() -> dict[str, bool]:
    """Of each mutant that was tried, whether its test noticed it."""
    return {}


@pytest.fixture(scope="module")
def mutants(
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
    verdicts: dict[str, bool],
) -> Iterator[Mutants]:
    """The process that has imported everything; at its end, how many mutants were killed."""
    tests = sorted({case.test for case in CASES.values()})
    with warmed(tmp_path_factory.mktemp("mutants"), tests) as process:
        yield process
    told = f"\nmutants killed: {sum(verdicts.values())} of {len(verdicts)}"
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():  # xdist's workers have standard error alone
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
