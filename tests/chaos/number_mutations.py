"""Safeguards of the numbers' Lua: each is taken out in turn, and its test must notice."""

from tests.chaos.mutant import Case

_LUA = "numbers/lua/"
_TESTS = "tests/numbers/"


def _case(module: str, old: str, new: str, test: str) -> Case:
    return Case(f"{_LUA}{module}.lua", old, new, _TESTS + test)


NUMBER_CASES = {
    "the call id makes a repeated call harmless": _case(
        "modules/calling",
        "  if known and known.kind == 'running' then return calling.repeated(known.number) end\n",
        "\n",
        "test_pool_calls.py::test_a_call_with_the_same_id_gets_the_same_number",
    ),
    "a superseded incarnation changes nothing": _case(
        "modules/lives",
        "  if not lives.supersede(switch, incarnation) then return nil, 'stale incarnation' end\n",
        "  lives.supersede(switch, incarnation)\n",
        "test_pool_switches.py::test_a_superseded_incarnation_is_stale_and_changes_nothing",
    ),
    "a proxy's calls outlive its restart": _case(
        "modules/lives",
        "  if lives.is_media(name) then return",
        "  if true then return",
        "test_pool_proxies.py::test_a_new_incarnation_frees_none_of_twelve_running_calls",
    ),
    "a media server's calls end with it": _case(
        "modules/lives",
        "  if lives.is_media(name) then return",
        "  if false then return",
        "test_pool_switches.py::test_a_new_incarnation_releases_the_switchs_calls_and_no_others",
    ),
    "lists of two lives are not two in a row": _case(
        "modules/lists",
        "is_open = false, count = list.count + 1 })",
        "is_open = false, count = list.count })",
        "test_pool_proxies.py::test_what_the_incarnation_before_did_not_list_is_no_miss_of_the_new_one",
    ),
    "a number that a script adds waits for SQL": _case(
        "modules/membership",
        "rule == 'confirm' and states.UNCONFIRMED or ''",
        "''",
        "test_services_added.py::test_the_same_twelve_numbers_in_two_pools_are_in_calls_in_one_only",
    ),
    "an unconfirmed number takes no inbound call": _case(
        "modules/calling",
        "return states.is_held(state, states.UNCONFIRMED) and 'unconfirmed' or nil end",
        "return nil end",
        "test_pool_added.py::test_an_unconfirmed_number_is_not_lent_in_any_way",
    ),
    "a live list does not bring an unconfirmed number into a call": _case(
        "modules/lists",
        " or states.is_held(state, states.UNCONFIRMED) then return false end",
        " then return false end",
        "test_pool_added.py::test_an_unconfirmed_number_is_not_lent_in_any_way",
    ),
    "a confirmation is of one add": _case(
        "modules/membership",
        "  if added_at and state.since ~= added_at then return false end\n",
        "\n",
        "test_pool_added.py::test_a_later_add_of_the_same_number_is_not_meant",
    ),
    "a report before the load counts for nothing": _case(
        "modules/recovery",
        " or pool.field('loaded') ~= '1' then return end",
        " then return end",
        "test_pool_switches.py::test_a_list_that_came_before_the_numbers_counts_for_nothing",
    ),
    "a number in a call is not lent again": _case(
        "modules/calling",
        "  if state.is_busy then return calling.busy_or_down(state) end\n",
        "\n",
        "test_pool_calls.py::test_an_inbound_call_to_a_busy_number_is_refused",
    ),
    "a voucher pays for one call": _case(
        "modules/calling",
        "  vouchers.use()\n",
        "\n",
        "test_pool_picking.py::test_a_charged_pool_wants_a_voucher_that_works_once",
    ),
    "a voucher that was taken back is not written again": _case(
        "voucher",
        "  if is_taken then return { '1', '', '', 'taken' } end\n",
        "\n",
        "test_pool_picking.py::test_a_voucher_ends_and_can_be_taken_back",
    ),
}
