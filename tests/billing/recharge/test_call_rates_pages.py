"""The pages of call rates: listed, searched, exported, imported after a review."""

import csv
import io
import time
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from billing.models import CallRate, Tariff
from billing.pricing.calls import Rate
from billing.pricing.rate_rows import HEAD, file_of
from billing.services.call_rates import rates_of
from billing.services.tariffs import tariff_create
from poolsite.access.models import AuditEntry
from tests.billing.recharge.money_people import Payers, browser, operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
HOME = "/accounts/acme/tariffs/"
PRICES = {"video": {"unit_price": 1_450}, "call": {"unit_price": 900}}
RATES = (
    Rate("+49", "Germany", 1_000),
    Rate("+4917", "Germany mobile", 1_200, 60, 1, 500),
    Rate("+4917", "Germany mobile, night", 600, 60, 1, 0, 127, 1_320, 360),
)


@pytest.fixture
def olga(people: Payers) -> Client:
    return browser(operator("olga", "finance"))


def later(days: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time.time() + days * 86_400))


def tariff(people: Payers, rates: Any = RATES, **given: Any) -> Tariff:
    made = {"name": "Standard", "prices": PRICES, "call_rates": list(rates)} | given
    return tariff_create(actor="test", account=people.wallet.account, **made)


def upload(client: Client, row: Tariff, text: str, **given: str) -> Any:
    """Open the page and send a file, as the browser does."""
    path = f"{HOME}{row.pk}/call-rates/import/"
    seen = client.get(path).context["form"]["seen"].value()
    file = SimpleUploadedFile("rates.csv", text.encode(), content_type="text/csv")
    return client.post(path, {"name": "Next", "seen": seen, "file": file, **given})


def confirm(client: Client, row: Tariff, review: Any, **given: str) -> Any:
    """Send the form of the review, as the browser does."""
    form = review.context["form"]
    said = {
        "seen": form["seen"].value(),
        "name": form["name"].value(),
        "valid_from": form["valid_from"].value() or "",
        "rates": review.context["rates"],
        "confirm": "1",
    }
    return client.post(f"{HOME}{row.pk}/call-rates/import/", said | given)


def test_the_price_list_shows_the_first_rates_and_where_all_are(people: Payers) -> None:
    row = tariff(people)
    for client in (browser(people.owner), browser(operator("olga", "finance"))):
        page = client.get(HOME).content.decode()
        assert "Germany mobile, night" in page
        assert "22:00–06:00" in page
        assert f"{HOME}{row.pk}/call-rates/" in page
        assert "cost the price of a call" in page
        assert "Call to a destination without a rate" in page
    assert "Import call rates" not in browser(people.owner).get(HOME).content.decode()


def test_a_price_list_without_a_price_of_a_call_refuses_other_destinations(
    people: Payers, olga: Client
) -> None:
    tariff(people, prices={"video": {"unit_price": 1}})
    assert b"Calls to other destinations are refused" in olga.get(HOME).content


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("+4917012345", ["+49", "+4917", "+4917"]),
        ("004930", ["+49"]),
        ("night", ["+4917"]),
        ("", ["+49", "+4917", "+4917"]),
        ("+1", []),
    ],
)
def test_a_rate_is_found_by_number_or_name(people: Payers, asked: str, found: list[str]) -> None:
    row = tariff(people)
    page = browser(people.owner).get(f"{HOME}{row.pk}/call-rates/", {"q": asked})
    assert [each["rate"].prefix for each in page.context["rows"]] == found


def test_a_long_list_has_pages(people: Payers) -> None:
    row = tariff(people, [Rate(f"+{number}", f"D{number}", 1) for number in range(1_000, 1_060)])
    client, path = browser(people.owner), f"{HOME}{row.pk}/call-rates/"
    seen, url = [], path
    while url:
        page = client.get(url)
        seen += [each["rate"].prefix for each in page.context["rows"]]
        assert len(page.context["rows"]) <= 25
        url = f"{path}{page.context['next_url']}" if page.context["next_url"] else ""
    assert seen == [f"+{number}" for number in range(1_000, 1_060)]


def test_what_is_exported_can_be_imported_and_changes_nothing(people: Payers, olga: Client) -> None:
    row = tariff(people)
    answer = olga.get(f"{HOME}{row.pk}/call-rates/", {"format": "csv"})
    text = answer.content.decode("utf-8-sig")
    assert next(csv.reader(io.StringIO(text))) == list(HEAD)
    review = upload(olga, row, text)
    assert review.status_code == 200
    told = review.context["review"]
    assert (told.new, told.changed, told.gone, told.same) == (0, 0, 0, 3)


def test_an_import_into_a_valid_version_creates_the_next(people: Payers, olga: Client) -> None:
    row = tariff(people)
    rates = [RATES[0], Rate("+4917", "Germany mobile", 1_300, 60, 1, 500), Rate("+43", "At", 5)]
    review = upload(olga, row, file_of(rates), valid_from=later(2))
    told = review.context["review"]
    assert (told.new, told.changed, told.gone, told.same) == (1, 1, 1, 1)
    assert "1,200" not in review.content.decode()
    assert b"0.1200" in review.content  # the previous price
    assert list(Tariff.objects.all()) == [row]
    assert CallRate.objects.count() == 3
    done = confirm(olga, row, review)
    made = Tariff.objects.latest("pk")
    assert done["Location"] == f"{HOME}?version={made.pk}"
    assert (made.name, made.prices, made.rates_count) == ("Next", row.prices, 3)
    assert sorted(rate.prefix for rate in rates_of(made)) == ["+43", "+49", "+4917"]
    row.refresh_from_db()
    assert row.valid_until == made.valid_from
    assert len(rates_of(row)) == 3
    entry = AuditEntry.objects.get(action="billing.tariff_create", thing_id=str(made.pk))
    assert entry.after["rates_count"] == 3


def test_an_import_into_a_scheduled_version_replaces_its_rates(
    people: Payers, olga: Client
) -> None:
    row = tariff(people, valid_from=_day(5))
    before = row.rates_digest
    review = upload(olga, row, file_of([Rate("+43", "Austria", 5)]))
    assert confirm(olga, row, review).status_code == 302
    row.refresh_from_db()
    assert Tariff.objects.count() == 1
    assert [rate.destination for rate in rates_of(row)] == ["Austria"]
    assert row.rates_digest not in ("", before)


def _day(days: int) -> Any:
    from datetime import date, timedelta

    return date.today() + timedelta(days=days)  # noqa: DTZ011  days ahead


def test_a_version_that_was_changed_meanwhile_is_not_overwritten(
    people: Payers, olga: Client
) -> None:
    row = tariff(people, valid_from=_day(5))
    review = upload(olga, row, file_of([Rate("+43", "Austria", 5)]))
    Tariff.objects.filter(pk=row.pk).update(name="Other")
    late = confirm(olga, row, review)
    assert late.status_code == 422
    assert b"was changed after you opened it" in late.content
    assert len(rates_of(Tariff.objects.get())) == 3


def test_errors_are_shown_by_line_and_nothing_changes(people: Payers, olga: Client) -> None:
    row = tariff(people)
    wrong = file_of([RATES[0]]) + "49x,Nowhere,,,,1,60,60,\n"
    answer = upload(olga, row, wrong)
    assert answer.status_code == 422
    assert b"1 error in the file" in answer.content
    assert [fault.line for fault in answer.context["file"].faults] == [3]
    # a browser that sends the faulty text with a confirmation changes nothing either
    forced = olga.post(
        f"{HOME}{row.pk}/call-rates/import/", {"name": "N", "rates": wrong, "confirm": "1"}
    )
    assert forced.status_code == 422
    assert (Tariff.objects.count(), CallRate.objects.count()) == (1, 3)


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"a" * (1024 * 1024 + 1)])
def test_what_is_no_file_of_rates_is_refused(people: Payers, olga: Client, data: bytes) -> None:
    row = tariff(people)
    file = SimpleUploadedFile("rates.csv", data)
    path = f"{HOME}{row.pk}/call-rates/import/"
    assert olga.post(path, {"name": "N", "file": file}).status_code == 422
    assert olga.post(path, {"name": "N"}).status_code == 422
    assert Tariff.objects.count() == 1


def test_a_new_version_of_prices_takes_the_rates_over(people: Payers, olga: Client) -> None:
    row = tariff(people)
    given = {"name": "Next", "valid_from": later(3), "video-price": "0.2", "publish": "1"}
    assert olga.post(f"{HOME}new/", given).status_code == 302
    made = Tariff.objects.latest("pk")
    assert made.pk != row.pk
    assert made.rates_digest == row.rates_digest
    assert len(rates_of(made)) == 3
    # and changing its prices keeps the rates
    changed = {**given, "video-price": "0.3"}
    assert olga.post(f"{HOME}{made.pk}/", changed).status_code == 302
    assert len(rates_of(Tariff.objects.get(pk=made.pk))) == 3


def test_versions_whose_rates_differ_say_so(people: Payers, olga: Client) -> None:
    tariff(people)
    tariff(people, RATES[:1], name="Next", valid_from=_day(3), replace=True)
    assert b"Other call rates" in olga.get(HOME).content


def test_a_removed_version_takes_its_rates_along(people: Payers, olga: Client) -> None:
    row = tariff(people, valid_from=_day(3))
    assert olga.post(f"{HOME}{row.pk}/delete/").status_code == 302
    assert not CallRate.objects.exists()


def test_rates_of_another_account_are_not_there(people: Payers, olga: Client) -> None:
    from tests.billing.recharge.money_people import payers

    row = tariff(people)
    stranger = browser(payers("other").owner)
    assert stranger.get(f"{HOME}{row.pk}/call-rates/").status_code == 404
    assert stranger.get(f"/accounts/other/tariffs/{row.pk}/call-rates/").status_code == 404
    assert browser(people.owner).get(f"{HOME}{row.pk}/call-rates/import/").status_code == 403
