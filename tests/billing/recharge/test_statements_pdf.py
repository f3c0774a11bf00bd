"""The statement as a PDF: its text in both languages, and always the same bytes."""

import pytest
from django.utils import translation
from django.utils.translation import gettext

from billing.models import JournalEntry
from tests.billing.recharge.money_people import Payers, browser, payers
from tests.billing.recharge.statement_books import at_us, credit, top_up, two_months
from tests.support.pdf_text import pages_of, text_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
URL = "/accounts/acme/statements/2026-02/pdf/"


@pytest.fixture
def people() -> Payers:
    found = payers()
    two_months(found.wallet)
    account = found.wallet.account
    account.name = "南京长青零售 Evergreen"
    account.save()
    return found


def pdf(people: Payers, language: str = "en") -> bytes:
    answer = browser(people.owner).get(URL, headers={"Accept-Language": language})
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == 'attachment; filename="statement-acme-2026-02.pdf"'
    return bytes(answer.content)


def test_it_says_whose_month_it_is_and_how_it_adds_up(people: Payers) -> None:
    text = text_of(pdf(people))
    for line in (
        "Statement for February 2026",
        "Period: 1 Feb 2026 – 28 Feb 2026",
        "南京长青零售 Evergreen",
        "Currency: CNY",
        "Time zone: Asia/Shanghai",
        "Generated as of: 1 Mar 2026, 00:00:00 (Asia/Shanghai)",
        "+200.0000",
        "–19.0500",
        "268.9000",
        "R00000002",
        "28 Feb 2026",
    ):
        assert line in text, line
    assert "Page 1 of 2" in text
    assert "Page 2 of 2" in text
    assert "2026-02-29" not in text


def test_it_is_in_the_reader_s_language(people: Payers) -> None:
    text = text_of(pdf(people, "zh-CN"))
    with translation.override("zh-hans"):
        words = [gettext("Opening balance"), gettext("Closing balance"), gettext("Native text")]
    assert all(ord(word[0]) > 0x2E80 for word in words)
    assert all(word in text for word in words)


def test_the_same_month_is_the_same_file_whatever_comes_later(people: Payers) -> None:
    before = pdf(people)
    top_up(people.wallet, at_us(people.wallet, 2026, 3, 1), 700, number=9)
    assert pdf(people) == before
    assert pdf(people, "zh-CN") != before
    JournalEntry.objects.filter(wallet=people.wallet, operation_id="adj-2").update(
        spendable=60_000, revenue=-60_000
    )
    assert pdf(people) != before


def test_many_moves_are_listed_up_to_a_limit_and_the_rest_is_counted(people: Payers) -> None:
    for number in range(205):
        credit(people.wallet, at_us(people.wallet, 2026, 2, 9), 100, f"c-{number}")
    found = pdf(people)
    text = text_of(found)
    assert "8 more entries are in the CSV file." in text
    assert "c-198\n" in text
    assert "c-199" not in text
    assert pages_of(found) > 5


def test_a_month_without_anything_has_a_document_too(people: Payers) -> None:
    answer = browser(people.owner).get("/accounts/acme/statements/2025-12/pdf/")
    text = text_of(answer.content)
    assert "No charges this month." in text
    assert "No top-ups or adjustments this month." in text


def test_the_running_month_has_none_yet_and_says_so(people: Payers) -> None:
    from billing.services.days import month_at

    name = month_at(people.wallet.account).name
    answer = browser(people.owner).get(f"/accounts/acme/statements/{name}/pdf/", follow=True)
    assert answer.redirect_chain == [(f"/accounts/acme/statements/{name}/", 302)]
    assert "The PDF is available once the month is complete." in answer.content.decode()
