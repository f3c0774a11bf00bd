"""The safeguards of invoices, each with the test that must notice when it is removed."""

from tests.chaos.mutant import Case

SERVICES = "billing/services"
PROOF = "billing/persistence/invoices.py"
TESTS = "tests/billing/invoices"
ISSUING = f"{TESTS}/test_issuing.py"

INVOICE_CASES = {
    "a number is taken once": Case(
        f"{SERVICES}/invoices.py",
        "    series.last += 1\n",
        "    series.last = series.last or 1\n",
        f"{TESTS}/test_proof.py::test_numbers_follow_each_other",
    ),
    "a month has one invoice until it is credited": Case(
        f"{SERVICES}/invoices.py",
        "        if last is not None and last.credit_note is None:\n",
        "        if False:\n",
        f"{ISSUING}::test_a_month_has_one_invoice_until_it_is_credited",
    ),
    "the lines are the journal's sum": Case(
        f"{SERVICES}/invoices.py",
        "    if draft.total != statement.charges.units or statement.difference:\n",
        "    if statement.difference:\n",
        f"{ISSUING}::test_books_that_do_not_add_up_are_not_invoiced",
    ),
    "a month is invoiced when it is complete": Case(
        f"{SERVICES}/invoices.py",
        "    if not statement.is_final:\n",
        "    if False:\n",
        f"{ISSUING}::test_what_is_not_complete_empty_or_without_a_rate_gets_no_number",
    ),
    "credit in use is due": Case(
        PROOF,
        "    return min(total, max(0, -closing))\n",
        "    return 0\n",
        f"{ISSUING}::test_what_the_balance_did_not_cover_is_due",
    ),
    "the shares of a tax add up": Case(
        "billing/invoicing/taxes.py",
        "        found[place] += 1\n",
        "        found[place] += 0\n",
        f"{TESTS}/test_taxes.py::test_the_shares_add_up_and_each_is_less_than_a_unit_off",
    ),
    "the audit compares lines with the journal": Case(
        PROOF,
        "        if units != line.amount:\n",
        "        if False:\n",
        f"{TESTS}/test_proof.py::test_a_journal_that_says_something_else_is_named",
    ),
    "the audit finds a gap": Case(
        PROOF,
        "            if figures != (row.last, 1, row.last):\n",
        "            if False:\n",
        f"{TESTS}/test_proof.py::test_a_gap_is_named",
    ),
    "the database refuses to change an invoice": Case(
        "billing/migrations/0007_invoices.py",
        'FIXED = ("billing_invoice", "billing_invoiceline", "billing_invoicetax")',
        'FIXED = ("billing_invoiceline", "billing_invoicetax")',
        f"{ISSUING}::test_the_database_refuses_to_change_an_issued_invoice",
    ),
    "who asked for a credit note cannot approve it": Case(
        f"{SERVICES}/invoices_credit.py",
        "    if asker.pk == decider.pk:\n",
        "    if False:\n",
        f"{TESTS}/test_crediting.py::test_a_credit_note_waits_for_another_operator",
    ),
    "a month that was credited waits for a person": Case(
        f"{SERVICES}/invoices_due.py",
        "    if wallet.invoices.filter(month=month.first).exists():\n",
        "    if False:\n",
        f"{ISSUING}::test_a_credited_month_is_not_invoiced_again_by_itself",
    ),
}
