"""The gate's safeguards, each with the test that must notice when it is taken out."""

from tests.chaos.mutant import Case

LUA = "queueing/admission/lua"
MODULES = f"{LUA}/modules"
PERMITS = "tests/admission/test_gate_permits.py"
TASKS = "tests/admission/test_gate_tasks.py"
CLOCK = "tests/admission/test_gate_clock.py"
SEED = "tests/admission/test_gate_seed.py"
LOST = "tests/admission/test_recovering.py"
SERVERS = "tests/admission/test_gate_servers.py"
WEIGHTS = "tests/admission/test_gate_weights.py"
SAFEGUARDS = "tests/admission/test_gate_safeguards.py"

_SLOTS = {
    "no more permits than the cap": Case(
        f"{MODULES}/line.lua",
        " and permits.count() + weight <= conf.cap",
        "",
        f"{PERMITS}::test_the_cap_is_never_passed_and_a_freed_slot_is_given_at_once",
    ),
    "a lower cap lets nobody in until enough have gone": Case(
        f"{MODULES}/line.lua",
        "  local free = conf.cap - permits.used()\n",
        "  local free = conf.cap\n",
        f"{PERMITS}::test_a_lower_cap_drops_nobody_and_lets_nobody_in_until_enough_have_gone",
    ),
    "a paused gate lets nobody in": Case(
        f"{MODULES}/line.lua",
        "  if conf.status == 'paused' then return 'paused', rank, kept end\n",
        "",
        f"{PERMITS}::test_a_paused_gate_lets_nobody_in_and_takes_releases",
    ),
    "no more starts in a second than the rate": Case(
        f"{MODULES}/line.lua",
        "  return start and start + line.SECOND_US > gate.now\n",
        "  return false\n",
        f"{PERMITS}::test_the_rate_holds_in_every_second",
    ),
    "nobody comes in before those who wait longer": Case(
        f"{MODULES}/line.lua",
        " or rank >= conf.look_ahead * (left + 1)) then",
        ") then",
        f"{PERMITS}::test_who_waits_longer_comes_first_within_the_look_ahead",
    ),
    "who comes while others wait goes to the line": Case(
        f"{MODULES}/line.lua",
        "    and (not conf.fair or gate.waiting == '0')",
        "   ",
        f"{PERMITS}::test_who_waits_longer_comes_first_within_the_look_ahead",
    ),
    "one that stops asking loses its place": Case(
        f"{MODULES}/line.lua",
        "  if #silent > 0 then\n",
        "  if false then\n",
        f"{PERMITS}::test_one_that_stops_asking_loses_its_turn_after_two_periods",
    ),
}

_PERMITS = {
    "a permit is given back by its own token": Case(
        f"{MODULES}/holders.lua",
        "then return holders.refused('other token') end\n  if permits.is_over(permit) then\n",
        "then local _ = nil end\n  if permits.is_over(permit) then\n",
        f"{PERMITS}::test_a_permit_is_released_once_and_only_by_its_holder",
    ),
    "a token is a fence: each is greater than those before": Case(
        f"{MODULES}/permits.lua",
        "gate.generation + gate.seq + 1)",
        "gate.generation + 1)",
        f"{PERMITS}::test_tokens_rise_and_go_on_rising_in_the_next_life",
    ),
    "a holder has one permit": Case(
        f"{MODULES}/holders.lua",
        "  if permit and not permits.is_over(permit) then return",
        "  if false then return",
        f"{PERMITS}::test_the_same_holder_gets_the_same_permit_and_no_longer_deadline",
    ),
    "a release after the deadline changes nothing": Case(
        f"{MODULES}/holders.lua",
        "  if permits.is_over(permit) then\n    gate.count('overrun')\n",
        "  if false then\n    gate.count('overrun')\n",
        f"{PERMITS}::test_a_slot_is_free_only_after_the_deadline_and_a_late_release_changes_nothing",
    ),
    "a permit is renewed up to its longest time": Case(
        f"{MODULES}/permits.lua",
        "math.min(gate.now + gate.conf.permit_us, permit.granted + gate.conf.longest_us)",
        "gate.now + gate.conf.permit_us",
        f"{PERMITS}::test_renewing_moves_the_deadline_up_to_the_longest_time",
    ),
    "an operator frees the permit that he looked at": Case(
        f"{LUA}/free.lua",
        "if permit.token ~= token then return holders.refused('other token') end\n",
        "",
        f"{PERMITS}::test_an_operator_frees_the_permit_that_he_looked_at",
    ),
    "an anonymous permit is never a named holder's": Case(
        f"{LUA}/decr.lua",
        "gate.tag .. ':anon', 0, 0)[1]",
        "gate.tag .. ':permits', 0, 0)[1]",
        f"{SEED}::test_decr_never_ends_a_named_holders_permit",
    ),
    "the seed's limit counts": Case(
        f"{MODULES}/permits.lua",
        "    gate.used = redis.call('ZCOUNT',",
        "    gate.used = 0 * redis.call('ZCOUNT',",
        f"{SEED}::test_the_seeds_form_works_with_the_tag_alone_and_the_cap_as_its_argument",
    ),
    "a malformed request is refused before the first write": Case(
        f"{LUA}/requests.lua",
        "    if malformed then return checks.refusal(malformed) end\n    return holders.acquire(",
        "    return holders.acquire(",
        f"{SAFEGUARDS}::test_a_malformed_request_is_refused_alone_and_writes_nothing",
    ),
    "a list is no longer than its limit": Case(
        f"{LUA}/requests.lua",
        "if #ARGV == 0 or #ARGV > MOST then",
        "if #ARGV == 0 then",
        f"{SAFEGUARDS}::test_a_list_of_a_wrong_length_is_refused_as_a_whole",
    ),
}

_TIME = {
    "deadlines wait for a doubtful clock": Case(
        f"{MODULES}/clock.lua",
        "behind, gate.now - lag\n",
        "behind, gate.now\n",
        f"{CLOCK}::test_a_step_ahead_frees_nobodys_slot",
    ),
    "they wait for one permit's length at most": Case(
        f"{MODULES}/clock.lua",
        "  if gate.now >= settles or settles - gate.now > length then lag, settles = 0, 0 end\n",
        "",
        f"{CLOCK}::test_gaps_again_and_again_add_up_to_no_more_than_a_permits_length",
    ),
    "a doubt is kept for the next call": Case(
        f"{MODULES}/clock.lua",
        "  if gate.lag > 0 or gate.behind then\n",
        "  if gate.behind then\n",
        f"{CLOCK}::test_whoever_comes_first_after_a_step_keeps_the_doubt",
    ),
    "permits that lie in the future are put back": Case(
        f"{MODULES}/repair.lua",
        "  for _, holder in ipairs(ahead) do\n",
        "  for _, holder in ipairs({}) do\n",
        f"{CLOCK}::test_a_permit_of_a_clock_that_was_ahead_ends_within_its_length",
    ),
    "a hold over a step of the clock teaches nothing": Case(
        f"{MODULES}/permits.lua",
        "  if gate.lag > 0 or lasted < 0 then return end\n",
        "",
        f"{CLOCK}::test_what_a_hold_lasts_is_not_learnt_over_a_step",
    ),
    "the history keeps what SQL has not taken": Case(
        "poolsite/hotpath/lua/prelude.lua",
        "string.format('%d-0', drained + 1))",
        "string.format('%d-0', seq + 1))",
        f"{SAFEGUARDS}::test_the_history_keeps_what_sql_has_not_taken_up_to_its_limit",
    ),
    "data that is two releases ahead is refused": Case(
        f"{MODULES}/gate.lua",
        "  if version and version - VERSION > 1 then\n",
        "  if false then\n",
        f"{SERVERS}::test_a_script_of_two_releases_ago_writes_nothing",
    ),
}

_LOSS = {
    "after a loss the whole cap counts as used": Case(
        f"{MODULES}/permits.lua",
        "    if gate.conf.status == 'recovering' then gate.used =",
        "    if false then gate.used =",
        f"{LOST}::test_nobody_is_let_in_before_the_permits_of_the_life_before_have_ended",
    ),
    "no more come back than there were slots": Case(
        f"{MODULES}/holders.lua",
        " or permits.ghosts() < weight then\n",
        " then\n",
        f"{LOST}::test_no_more_come_back_than_the_cap",
    ),
    "only a token of the life before comes back": Case(
        f"{MODULES}/holders.lua",
        " or not is_of_before or",
        " or",
        f"{LOST}::test_a_token_of_this_life_that_was_never_given_is_no_proof",
    ),
    "a result alone proves no slot": Case(
        f"{MODULES}/permits.lua",
        "  if permit.unseen and gate.conf.status == 'recovering' then\n",
        "  if false then\n",
        f"{LOST}::test_a_result_alone_proves_no_slot_since_it_may_be_a_repeat",
    ),
}

_TASKS = {
    "a late result decides nothing": Case(
        f"{MODULES}/results.lua",
        "  if is_current and task.state == 'running' then",
        "  if is_current then",
        f"{TASKS}::test_a_late_result_is_stored_once_and_changes_neither_task_nor_permit",
    ),
    "a result after the deadline is late before any sweep": Case(
        f"{MODULES}/results.lua",
        "  if permit and permits.is_over(permit) then --",
        "  if false then --",
        f"{TASKS}::test_a_late_result_is_stored_once_and_changes_neither_task_nor_permit",
    ),
    "a result is of the device that had the task": Case(
        f"{MODULES}/results.lua",
        "  if not task or task.device ~= device then",
        "  if not task then",
        f"{TASKS}::test_a_result_for_a_task_it_never_had_is_refused",
    ),
    "a malformed report is refused before the first write": Case(
        f"{LUA}/report.lua",
        "  if not checks.is_token_or_none(report.renew) then return nil, 'malformed renew' end\n",
        "",
        f"{TASKS}::test_a_malformed_report_changes_nothing_for_the_others_either",
    ),
    "no attempt beyond the limit": Case(
        f"{MODULES}/tasks.lua",
        "  if task.attempt < gate.conf.attempts and batches.goes_on(task.batch) then\n",
        "  if batches.goes_on(task.batch) then\n",
        f"{TASKS}::test_an_attempt_without_a_result_is_followed_by_another_up_to_three",
    ),
    "a batch that is over gives no task": Case(
        f"{MODULES}/batches.lua",
        "  if runs and batch.ends + 0 <= gate.due then return 'over' end\n",
        "",
        f"{TASKS}::test_at_the_windows_end_pending_ones_expire_and_running_ones_finish",
    ),
    "a paused batch gives no task": Case(
        f"{MODULES}/devices.lua",
        "    if status == 'open' then return task end\n",
        "    if status == 'open' or status == 'paused' then return task end\n",
        f"{TASKS}::test_a_paused_batch_issues_nothing_and_a_cancelled_one_never_again",
    ),
    "a task that is loaded twice is there once": Case(
        f"{LUA}/load.lua",
        "  if redis.call('HEXISTS', gate.tag .. ':tasks', row.id) == 1 then return nil end\n",
        "",
        f"{TASKS}::test_loading_twice_changes_nothing",
    ),
}

_WEIGHTS = {
    "a permit counts as its weight": Case(
        f"{MODULES}/permits.lua",
        "      + weights.sum(gate.tag .. ':weights', string.format('%d', gate.due + 1))\n",
        "",
        f"{WEIGHTS}::test_a_permit_counts_as_its_weight_and_the_sum_never_passes_the_cap",
    ),
    "a released permit's weight counts no longer": Case(
        f"{MODULES}/permits.lua",
        "  weights.remove(gate.tag .. ':weights', permit.deadline, holder, permit.weight - 1)\n"
        "  if gate.held",
        "  if gate.held",
        f"{WEIGHTS}::test_a_permit_counts_as_its_weight_and_the_sum_never_passes_the_cap",
    ),
    "a renewed permit's weight moves with its deadline": Case(
        f"{MODULES}/permits.lua",
        "  weights.add(gate.tag .. ':weights', deadline, holder, permit.weight - 1)\n",
        "",
        f"{WEIGHTS}::test_a_renewed_heavy_permit_keeps_its_weight",
    ),
    "another weight is refused": Case(
        f"{MODULES}/holders.lua",
        "  if permit.weight ~= weight then return checks.refusal('other weight') end\n",
        "",
        f"{WEIGHTS}::test_another_weight_is_refused_by_name_and_changes_nothing",
    ),
    "a heavy one keeps the slots that it waits for": Case(
        f"{MODULES}/line.lua",
        "  local left = free - kept - weight\n",
        "  local left = free - weight\n",
        f"{WEIGHTS}::test_a_heavy_one_is_not_starved_by_light_ones",
    ),
    "a heavy start counts as so many": Case(
        f"{MODULES}/line.lua",
        "math.max(0, gate.conf.rate - weight))",
        "gate.conf.rate - 1)",
        f"{WEIGHTS}::test_a_heavy_start_counts_as_so_many_and_one_over_the_rate_has_a_second_of_its_own",
    ),
    "who gave up takes back no permit that was asked for again": Case(
        f"{MODULES}/holders.lua",
        " and not permit.asked_again and",
        " and",
        f"{WEIGHTS}::test_who_gives_up_leaves_no_permit_unless_its_holder_asked_again",
    ),
}

GATE_CASES: dict[str, Case] = {**_SLOTS, **_PERMITS, **_WEIGHTS, **_TIME, **_LOSS, **_TASKS}
