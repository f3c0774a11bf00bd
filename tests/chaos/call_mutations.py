"""Safeguards of rated calls: each is removed in turn, and its test must notice."""

from tests.chaos.mutant import Case

CALLS = "tests/billing/calls"
RATED = f"{CALLS}/test_rated_calls.py"
STATEMENT = f"{CALLS}/test_rated_statement.py"
RATES = "tests/billing/pricing/test_call_rates.py"
STEPS = "numbers/services/charging.py"

CALL_CASES = {
    "the longest prefix counts": Case(
        "billing/pricing/calls.py",
        "        for length in range(min(len(callee), self._longest), -1, -1):\n",
        "        for length in range(min(len(callee), self._longest) + 1):\n",
        f"{RATES}::test_a_longer_prefix_without_a_rate_now_is_not_helped_out_by_a_shorter",
    ),
    "a rate for a time goes before the one for every time": Case(
        "billing/pricing/calls.py",
        "sorted(rows, key=lambda rate: rate.is_always)",
        "sorted(rows, key=lambda rate: not rate.is_always)",
        f"{RATES}::test_times_are_those_of_the_account_s_clocks_also_when_they_change",
    ),
    "seconds are rounded up to increments": Case(
        "billing/pricing/calls.py",
        "    return -(-seconds // increment) * increment\n",
        "    return seconds // increment * increment\n",
        f"{RATED}::test_a_call_costs_the_seconds_it_used",
    ),
    "the connection fee is asked for once": Case(
        "billing/pricing/calls.py",
        " + (self.fee if first else 0)\n",
        " + self.fee\n",
        f"{RATED}::test_a_call_costs_the_seconds_it_used",
    ),
    "a destination without a rate is refused": Case(
        "billing/services/calls.py",
        "        if CALL in version.prices:\n",
        "        if CALL in version.prices or table:\n",
        f"{RATED}::test_a_destination_without_a_rate_is_refused_by_name",
    ),
    "a call that has begun keeps its version": Case(
        "billing/services/calls.py",
        "        rate = call_rates.rate_at(before.rate_id, at.astimezone(self.zone))\n",
        "        rate = self.rates[self.ref.book.versions[-1].tariff_id].find('+4917', at)\n",
        f"{RATED}::test_a_new_version_does_not_touch_a_call_that_has_begun",
    ),
    "unused time comes back": Case(
        "billing/lua/modules/reports.lua",
        "    if units then charged, more = tariff.at_most(charged, units), ",
        "    if units then more = ",
        f"{RATED}::test_unused_time_is_there_again_when_the_interval_would_have_ended",
    ),
    "an interval that is not settled is noted with the next": Case(
        STEPS,
        "    if interval.comes_back:\n        notes.append(_look(",
        "    if False:\n        notes.append(_look(",
        f"{RATED}::test_unused_time_is_there_again_when_the_interval_would_have_ended",
    ),
    "an interval that ends is charged for its own time": Case(
        STEPS,
        "    start_us = due.at_us + (interval.starts - note.seconds) * SECOND_US\n",
        "    start_us = due.at_us\n",
        f"{RATED}::test_unused_time_is_there_again_when_the_interval_would_have_ended",
    ),
    "a statement has the calls of each rate once": Case(
        "billing/persistence/calls.py",
        "        told[0] += begins_call(change)\n",
        "        told[0] += 1\n",
        f"{STATEMENT}::test_calls_are_summed_up_by_rate",
    ),
}
