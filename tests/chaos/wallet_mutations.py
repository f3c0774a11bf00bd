"""The wallet's safeguards, each with the test that must notice when it is removed."""

from tests.chaos.mutant import Case

LUA = "billing/lua"
MODULES = f"{LUA}/modules"
MONEY = "tests/billing/wallet/test_money.py"
CREDIT = "tests/billing/wallet/test_credit.py"
GRANTS = "tests/billing/wallet/test_grants.py"
TIME = "tests/billing/wallet/test_time.py"
CLOCK = "tests/billing/wallet/test_clock_jumps.py"
DUE = "tests/billing/wallet/test_due.py"
BATCHES = "tests/billing/wallet/test_batches.py"
LOST = "tests/billing/wallet/test_rebuilding.py"
SAFEGUARDS = "tests/billing/wallet/test_wallet_safeguards.py"

_MONEY = {
    "an operation id moves money once": Case(
        f"{LUA}/move.lua",
        "if repeated then return repeated end\n",
        "",
        "tests/billing/books/test_outbox.py::test_an_order_whose_answer_was_lost_is_applied_once",
    ),
    "nothing is held above the balance": Case(
        f"{MODULES}/holds.lua",
        "  if amount > wallet.spendable() then return 'insufficient balance' end\n",
        "",
        f"{MONEY}::test_one_unit_less_is_not_enough",
    ),
    "a message is held once": Case(
        f"{MODULES}/holds.lua",
        "  if there and there.state ~= 'parked' then\n",
        "  if false then\n",
        f"{MONEY}::test_a_repeated_hold_keeps_the_first_quote",
    ),
    "a message that a list names twice is held once": Case(
        f"{MODULES}/holds.lua",
        "  wallet.known[asked.id] = asked\n",
        "",
        f"{TIME}::test_one_message_may_stand_in_a_list_command_many_times",
    ),
    "a session message is charged once": Case(
        f"{LUA}/session.lua",
        "  if there and there.state ~= 'parked' then\n",
        "  if false then\n",
        f"{MONEY}::test_a_session_message_is_held_and_settled_in_one",
    ),
    "a message is settled once": Case(
        f"{MODULES}/reports.lua",
        "  if not messages.OPEN[message.state] then return reports.take_again(message, word) end\n",
        "",
        f"{SAFEGUARDS}::test_a_message_is_settled_once",
    ),
    "a delivery costs at most the quote": Case(
        f"{MODULES}/tariff.lua",
        "  return price + 0 > quoted + 0 and quoted or price\n",
        "  return price\n",
        f"{MONEY}::test_an_unexpected_mode_costs_its_price_at_most_the_quote",
    ),
    "a wallet that is not open holds nothing": Case(
        f"{MODULES}/holds.lua",
        "  if conf.status ~= 'open' then return holds.SHUT[conf.status] end\n",
        "",
        f"{MONEY}::test_a_wallet_that_is_not_open_takes_no_new_holds_and_ends_the_old_ones",
    ),
    "a full backlog holds nothing": Case(
        f"{MODULES}/holds.lua",
        "  if wallet.seq - wallet.drained >= conf.log_limit then return 'backlog full' end\n",
        "",
        f"{MONEY}::test_a_full_backlog_refuses_holds_and_lets_refunds_through",
    ),
    "the day's limit counts": Case(
        f"{MODULES}/holds.lua",
        "  if holds.is_over_limit(amount) then return 'daily limit' end\n",
        "",
        f"{TIME}::test_what_comes_back_of_this_days_holds_can_be_spent_again",
    ),
    "a cash refund is not paid out of what is owed": Case(
        f"{LUA}/move.lua",
        "  if is_cash and units > own_money() then",
        "  if false then",
        f"{MONEY}::test_a_cash_refund_is_all_or_nothing_and_stays_refused",
    ),
    "credit is spent up to its limit": Case(
        f"{MODULES}/wallet.lua",
        "  return wallet.balance + wallet.credit\n",
        "  return wallet.balance\n",
        f"{CREDIT}::test_credit_is_spent_to_the_last_unit",
    ),
    "a debit stops at the credit limit": Case(
        f"{LUA}/move.lua",
        "  local taken = math.max(0, math.min(wallet.spendable(), units))\n",
        "  local taken = units\n",
        f"{CREDIT}::test_a_debit_takes_credit_and_leaves_the_rest_owed",
    ),
    "a debit below a lowered limit gives nothing": Case(
        f"{LUA}/move.lua",
        "  local taken = math.max(0, math.min(wallet.spendable(), units))\n",
        "  local taken = math.min(wallet.spendable(), units)\n",
        f"{CREDIT}::test_a_lower_limit_takes_nothing_away",
    ),
    "credit is not paid out": Case(
        f"{LUA}/move.lua",
        "  if is_cash and units > own_money() then",
        "  if is_cash and units > wallet.spendable() then",
        f"{CREDIT}::test_credit_is_never_paid_out",
    ),
    "what is owed is paid first": Case(
        f"{LUA}/move.lua",
        "    local paid = math.min(owed, units)\n",
        "    local paid = 0\n",
        f"{MONEY}::test_what_comes_in_pays_the_receivable_first",
    ),
    "balances stay exact": Case(
        f"{LUA}/move.lua",
        "    if wallet.total() + wallet.credit + units >= checks.UNITS_END then",
        "    if false then",
        f"{MONEY}::test_balances_stay_below_two_to_the_53",
    ),
    "no more reports are parked than the limit": Case(
        f"{MODULES}/parked.lua",
        " or parked.is_full() then",
        " then",
        f"{MONEY}::test_at_most_so_many_reports_are_parked",
    ),
    "a flag is listed once": Case(
        f"{MODULES}/flags.lua",
        " or string.find(message.listed .. '!', said .. '!', 1, true) then",
        " then",
        f"{TIME}::test_a_late_report_is_listed_once_however_often_it_comes",
    ),
    "data that is two releases ahead is not written": Case(
        f"{MODULES}/wallet.lua",
        "  if version - VERSION > 1 then\n",
        "  if false then\n",
        f"{SAFEGUARDS}::test_data_that_is_two_releases_ahead_is_refused",
    ),
}

_TIME = {
    "time decides, not the sweep": Case(
        f"{MODULES}/endings.lua",
        "    endings.end_hold(message)\n  elseif",
        "    local _ = nil\n  elseif",
        f"{TIME}::test_a_report_counts_up_to_72_hours_after_sent",
    ),
    "holds wait for a doubtful clock": Case(
        f"{MODULES}/clock.lua",
        "  wallet.lags, wallet.settles = lags, settles\n",
        "  wallet.settles = settles\n",
        f"{CLOCK}::test_a_report_counts_over_a_jump_of_days",
    ),
    "they wait for one of their periods at most": Case(
        f"{MODULES}/clock.lua",
        "    if wallet.now < began or wallet.now - began >= length then lag, began = 0, 0 end\n",
        "",
        f"{CLOCK}::test_a_midnight_is_believed_at_last",
    ),
    "a doubt is kept for the next call": Case(
        f"{MODULES}/clock.lua",
        "  if kept ~= doubt then wallet.new_doubt = kept end\n",
        "",
        f"{CLOCK}::test_a_jump_ends_no_hold_whoever_comes_first",
    ),
    "a midnight within a gap begins no day": Case(
        f"{MODULES}/days.lua",
        "  if believed < wallet.conf.midnight_us then return end\n",
        "",
        f"{CLOCK}::test_a_step_over_midnight_begins_no_day",
    ),
    "what is past its time can be spent": Case(
        f"{MODULES}/holds.lua",
        "  endings.end_due(holds.ENDED_AT_ONCE)\n",
        "",
        f"{DUE}::test_whoever_spends_finds_what_is_past_its_time",
    ),
    "nothing ends in safe mode": Case(
        f"{LUA}/sweep.lua",
        "if wallet.conf.status == 'recovering' then",
        "if false then",
        f"{DUE}::test_nothing_ends_in_safe_mode",
    ),
    "nothing is forgotten before its days are over": Case(
        f"{LUA}/purge.lua",
        "  if at + 0 >= until_us then break end\n",
        "",
        f"{TIME}::test_final_messages_and_receipts_are_forgotten_after_7_days",
    ),
}

_LIFE = {
    "an old life ends only where nothing newer came": Case(
        f"{LUA}/destroy.lua",
        "if seq ~= '' and seq ~= last_seq then return",
        "if false then return",
        "tests/billing/books/test_rebuilding.py"
        "::test_a_refund_between_persisting_and_the_end_of_the_old_life_is_not_lost",
    ),
    "only a wallet in safe mode is loaded": Case(
        f"{LUA}/load.lua",
        "if wallet.conf.status ~= 'recovering' then return",
        "if false then return",
        f"{LOST}::test_only_a_wallet_in_safe_mode_is_loaded",
    ),
    "a hold that the books do not know is charged as far as the money goes": Case(
        f"{LUA}/load.lua",
        "    if message.quoted + 0 > wallet.spendable() then return 'insufficient balance' end\n",
        "",
        f"{LOST}::test_holds_that_the_books_do_not_know_are_charged_as_far_as_the_money_goes",
    ),
    "a batch is closed under one number": Case(
        f"{LUA}/close_batch.lua",
        "local is_closed = last > drained\n",
        "local is_closed = false\n",
        f"{BATCHES}::test_a_closed_batch_is_found_again_as_it_was",
    ),
    "a log with a hole is not written": Case(
        f"{LUA}/close_batch.lua",
        "if #entries ~= last - first + 1 then return checks.refusal('log broken') end\n",
        "",
        f"{BATCHES}::test_a_log_with_a_hole_is_not_written_as_if_it_were_whole",
    ),
    "a batch of another life is not trimmed": Case(
        f"{LUA}/trim_batch.lua",
        "if there ~= generation then return checks.refusal('other generation') end\n",
        "",
        f"{BATCHES}::test_another_life_or_a_batch_that_is_not_there_is_refused",
    ),
}

_GRANTS = {
    "promotions are granted once": Case(
        f"{LUA}/grant.lua",
        "if repeated then return repeated end\n",
        "",
        f"{GRANTS}::test_a_grant_is_in_the_balance_once",
    ),
    "promotions are used first": Case(
        f"{MODULES}/holds.lua",
        "  if wallet.grants then message.grants = grants.take(amount) end\n",
        "",
        f"{GRANTS}::test_the_first_to_expire_is_used_first",
    ),
    "a charge is paid by promotions first": Case(
        f"{MODULES}/grants.lua",
        "  local rest, kept = used - math.min(used, message.quoted - back), {}\n",
        "  local rest, kept = math.min(used, back), {}\n",
        f"{GRANTS}::test_a_charge_is_paid_by_promotions_and_own_money_returns_first",
    ),
    "the promotion used last gets back first": Case(
        f"{MODULES}/grants.lua",
        "  for place = #parts, 1, -1 do\n",
        "  for place = 1, #parts do\n",
        f"{GRANTS}::test_what_is_left_of_a_charge_returns_to_the_one_used_last",
    ),
    "promotions end": Case(
        f"{MODULES}/wallet.lua",
        "  if wallet.grants then grants.expire_due() end\n",
        "",
        f"{GRANTS}::test_what_is_not_used_expires_after_its_last_microsecond",
    ),
    "what returns to an ended promotion ends": Case(
        f"{MODULES}/wallet.lua",
        "  if wallet.late then grants.expire_late() end\n",
        "",
        f"{GRANTS}::test_a_return_to_what_has_expired_expires_at_once",
    ),
    "promotions are not paid out": Case(
        f"{LUA}/move.lua",
        "  return wallet.grants and wallet.balance - grants.left() or wallet.balance\n",
        "  return wallet.balance\n",
        f"{GRANTS}::test_promotional_credit_is_never_paid_out",
    ),
    "promotions wait for a doubtful clock": Case(
        f"{MODULES}/grants.lua",
        "  local until_us = wallet.now - wallet.lags.message\n",
        "  local until_us = wallet.now\n",
        f"{GRANTS}::test_a_clock_in_doubt_ends_nothing",
    ),
}

WALLET_CASES: dict[str, Case] = {**_MONEY, **_TIME, **_LIFE, **_GRANTS}
