"""The admin's lists of money are read-only for operators."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone

from billing.admin import ANSWERS
from billing.models import FlaggedReport, JournalEntry, Tariff
from billing.money import UNITS
from billing.recharging.reports import ReportResult
from billing.services import books
from poolsite.access.models import Account
from tests.billing.recharge.money_people import (
    answer,
    browser,
    completed,
    operator,
    payers,
    started,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
admin.autodiscover()  # as poolsite.urls does
NAMES = sorted(
    model._meta.model_name or ""
    for model in admin.site._registry
    if model._meta.app_label == "billing"
)


@pytest.fixture
def looker() -> Client:
    """A browser of an operator without a grant; an account has a paid top-up in the books."""
    people = payers()
    answer(completed(started(people, 1_234)))
    started(people, 99)
    books.persist(0, 1)
    FlaggedReport.objects.create(
        wallet=people.wallet, generation=1, seq=9, message_id="m9", flag="late", at=timezone.now()
    )
    return browser(operator("looker"))


def test_every_table_that_a_person_looks_things_up_in_is_listed() -> None:
    assert len(NAMES) >= 17


@pytest.mark.parametrize("name", NAMES)
def test_each_list_opens_and_adds_nothing(looker: Client, name: str) -> None:
    assert looker.get(f"/admin/billing/{name}/").status_code == 200
    assert looker.get(f"/admin/billing/{name}/?account=acme&q=x").status_code in (200, 302)
    assert looker.get(f"/admin/billing/{name}/add/").status_code == 403


@pytest.mark.parametrize("name", ["wallet", "recharge", "journalentry", "flaggedreport"])
def test_a_row_is_shown_and_neither_changed_nor_deleted(
    looker: Client, name: str, django_assert_num_queries: Any
) -> None:
    from django.apps import apps

    model: Any = apps.get_model("billing", name)
    row = model.objects.order_by("pk")[0]
    page = f"/admin/billing/{name}/{row.pk}/"
    assert looker.get(f"{page}change/").status_code == 200
    finance = browser(operator("olga", "finance", "operate"))
    before = model.objects.values().get(pk=row.pk)
    assert finance.post(f"{page}change/", {"spendable": "1", "status": "closed"}).status_code == 403
    assert finance.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    assert model.objects.values().get(pk=row.pk) == before
    assert looker.get(f"{page}history/")["Location"].startswith("/history/?thing_kind=wallet")


def test_money_is_shown_in_currency_units(looker: Client) -> None:
    assert JournalEntry.objects.get().spendable == 1_234 * UNITS
    for name in ("wallet", "journalentry"):
        page = looker.get(f"/admin/billing/{name}/").content.decode()
        assert re.search(r'<td class="[^"]*spendable_figure[^"]*"[^>]*>1,234\.0000<', page)


def test_types_are_words_in_the_list_and_on_the_form(looker: Client) -> None:
    entry = JournalEntry.objects.get()
    for page in ("", f"{entry.pk}/change/"):
        shown = looker.get(f"/admin/billing/journalentry/{page}").content.decode()
        assert "Topped up" in shown
        assert ">recharge<" not in shown
    notifications = looker.get("/admin/billing/providerevent/").content.decode()
    assert 'title="Wrong amount"' in notifications
    assert set(ANSWERS) == set(ReportResult)


def test_the_prices_of_a_version_stand_beside_their_modes(looker: Client) -> None:
    tariff = Tariff.objects.create(
        account=Account.objects.get(slug="acme"),
        name="Standard",
        valid_from=timezone.now(),
        prices={"native_text": {"unit_price": 3_000, "characters_per_unit": 70}},
    )
    page = looker.get(f"/admin/billing/tariff/{tariff.pk}/change/").content.decode()
    assert "<dt>Native text</dt><dd>" in page
    assert "<dt>Unit price</dt><dd>0.3000</dd><dt>Characters per unit</dt><dd>70</dd>" in page


def test_a_payment_s_token_is_not_shown(looker: Client) -> None:
    from billing.models import Recharge

    waiting = Recharge.objects.get(status="waiting")
    page = looker.get(f"/admin/billing/recharge/{waiting.pk}/change/").content.decode()
    assert waiting.token not in page


def test_the_filter_by_account_leaves_others_out(looker: Client) -> None:
    payers("other")
    page = looker.get("/admin/billing/wallet/?account=other").content.decode()
    assert "Other" in page
    assert "1,234.0000" not in page
