"""The pages of a price list: typed in, reviewed, published, read."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import Tariff, UsageHour
from numbers.models import Pool
from poolsite.access.models import Account
from tests.billing.recharge.money_people import Payers, browser, operator

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
HOME = "/accounts/acme/tariffs/"
NEW = f"{HOME}new/"
PRICES = {"video": {"unit_price": 1_450}, "native_text": {"unit_price": 450}}


@pytest.fixture
def olga(people: Payers) -> Client:
    return browser(operator("olga", "finance"))


def later(days: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(time.time() + days * 86_400))


def given(**more: str) -> dict[str, str]:
    return {
        "name": "Next",
        "valid_from": later(3),
        "video-price": "0.145",
        **{name.replace("_price", "-price"): value for name, value in more.items()},
    }


def valid(people: Payers, **more: Any) -> Tariff:
    account = people.wallet.account
    made: dict[str, Any] = {
        "account": account,
        "name": "Standard",
        "valid_from": account.created_at,
        "prices": PRICES,
        **more,
    }
    return Tariff.objects.create(**made)


@pytest.mark.parametrize(
    "wrong",
    [
        {"video-price": "x"},
        {"video-price": "-1"},
        {"video-price": "0.00001"},
        {"video-price": "1e99"},
        {"video-price": ""},
        {"video-rule": "kilobytes_per_unit"},
        {"video-rule": "kilobytes_per_unit", "video-size": "0"},
        {"video-rule": "minutes"},
        {"name": ""},
        {"valid_from": later(-3)},
        {"valid_until": later(2)},
    ],
)
@pytest.mark.parametrize("step", [{}, {"publish": "1"}])
def test_what_is_wrong_is_said_and_nothing_is_kept(
    olga: Client, wrong: dict[str, str], step: dict[str, str]
) -> None:
    answer = olga.post(NEW, {**given(), **wrong, **step})
    assert answer.status_code == 422
    assert b"field__error" in answer.content or b"notice--bad" in answer.content
    assert not Tariff.objects.exists()


def test_publishing_asks_first_and_says_when_it_applies(people: Payers, olga: Client) -> None:
    standard = valid(people)
    sized = {**given(), "video-rule": "kilobytes_per_unit", "video-size": "300"}
    asked = olga.post(NEW, sized)
    assert b"Publish \xe2\x80\x9cNext\xe2\x80\x9d?" in asked.content
    assert b"ends when this version begins" in asked.content
    assert b"No gap" in asked.content
    assert list(Tariff.objects.all()) == [standard]
    back = olga.post(NEW, {**sized, "edit": "1"})
    assert back.context["form"]["video-size"].value() == "300"
    done = olga.post(NEW, {**sized, "publish": "1"})
    made = Tariff.objects.latest("pk")
    assert done["Location"] == f"{HOME}?version={made.pk}"
    assert made.prices == {"video": {"unit_price": 1_450, "kilobytes_per_unit": 300}}
    standard.refresh_from_db()
    assert standard.valid_until == made.valid_from
    # pressing the button twice creates one version
    assert olga.post(NEW, {**sized, "publish": "1"}).status_code == 422
    assert Tariff.objects.count() == 2


def test_a_gap_and_an_overlap_are_said_before_publishing(people: Payers, olga: Client) -> None:
    valid(people)
    ending = {**given(), "valid_until": later(9)}
    assert b"Every message is refused" in olga.post(NEW, ending).content
    assert olga.post(NEW, {**ending, "publish": "1"}).status_code == 302
    overlapping = olga.post(NEW, {**given(), "name": "Other", "valid_from": later(5)})
    assert overlapping.status_code == 422
    assert b"already valid in this period" in overlapping.content
    assert b"Every message is refused" in browser(people.owner).get(HOME).content


def test_a_new_version_starts_with_the_present_prices(people: Payers, olga: Client) -> None:
    standard = valid(people)
    page = olga.get(NEW)
    assert b'value="0.1450"' in page.content
    assert page.context["form"].initial["native_text-price"] == 450
    assert page.context["form"].initial["name"] != standard.name
    other = Account.objects.create(slug="other", name="Other")
    cheap = valid(people, account=other, name="Cheap", prices={"video": {"unit_price": 7}})
    copied = olga.get(f"{NEW}?from={cheap.pk}")
    assert copied.context["form"].initial["video-price"] == 7
    assert "native_text-price" not in copied.context["form"].initial
    for unknown in ("0", "x", "99999999"):
        assert olga.get(f"{NEW}?from={unknown}").status_code == 404


def test_a_first_version_begins_at_once(olga: Client) -> None:
    page = olga.get(HOME)
    assert b"Every message is refused" in page.content
    assert b"New version" in page.content
    at_once = {**given(), "valid_from": "", "native_text-price": "0"}
    assert b"Valid at once" in olga.post(NEW, at_once).content
    olga.post(NEW, {**at_once, "publish": "1"})
    shown = olga.get(HOME)
    assert b"Current" in shown.content
    assert b">free<" in shown.content


def test_a_version_to_come_is_changed_and_removed_and_one_in_use_is_not(
    people: Payers, olga: Client
) -> None:
    standard = valid(people)
    olga.post(NEW, {**given(), "publish": "1"})
    made = Tariff.objects.latest("pk")
    renamed = {**given(), "name": "Later", "video-price": "0.2", "publish": "1"}
    assert olga.post(f"{HOME}{made.pk}/", renamed).status_code == 302
    made.refresh_from_db()
    assert (made.name, made.prices) == ("Later", {"video": {"unit_price": 2_000}})
    assert olga.get(f"{HOME}{standard.pk}/")["Location"] == f"{HOME}{standard.pk}/end/"
    assert olga.post(f"{HOME}{standard.pk}/", renamed)["Location"].endswith("/end/")
    olga.post(f"{HOME}{made.pk}/delete/")
    olga.post(f"{HOME}{standard.pk}/delete/")
    assert list(Tariff.objects.all()) == [standard]


def test_a_change_that_somebody_else_made_meanwhile_is_not_overwritten(
    people: Payers, olga: Client
) -> None:
    made = valid(people, valid_from=timezone.now() + timedelta(days=3))
    address = f"{HOME}{made.pk}/"
    seen = olga.get(address).context["form"]["seen"].value()
    first = {**given(), "seen": seen, "publish": "1"}
    assert olga.post(address, {**first, "name": "Mine"}).status_code == 302
    late = olga.post(address, {**first, "name": "Theirs"})
    assert late.status_code == 422
    assert b"was changed after you opened it" in late.content
    made.refresh_from_db()
    assert made.name == "Mine"


def test_a_version_says_what_the_last_month_would_have_cost(people: Payers, olga: Client) -> None:
    valid(people)
    assert olga.get(NEW).context["traffic"] is None
    hour = {"wallet": people.wallet, "hour": timezone.now(), "chatbot": "", "entries": 10}
    UsageHour.objects.create(**hour, kind="hold", mode="video", revenue=145_000)
    UsageHour.objects.create(**hour, kind="hold", mode="native_text", revenue=4_500)
    same = olga.get(NEW).context
    assert (same["traffic"].before, same["traffic"].after) == (149_500, 149_500)
    assert same["traffic_words"] == "No change"
    # twice the price of a video; texts are no longer sold
    asked = olga.post(NEW, given(video_price="0.29")).context
    assert asked["traffic"].after == 290_000
    assert asked["traffic_words"] == "+¥14.05, +94.0%"


def test_a_call_is_counted_by_the_interval_of_the_account_s_pools(people: Payers) -> None:
    valid(people, prices={"call": {"unit_price": 900}})
    page = browser(people.owner).get(HOME).content.decode()
    assert "Per started 60 s" in page
    assert "3 units × 0.0900" in page
    for name, seconds in (("a", 30), ("b", 60)):
        Pool.objects.create(
            slug=name,
            name=name,
            account=people.wallet.account,
            charged=True,
            charge_interval_seconds=seconds,
        )
    page = browser(people.owner).get(HOME).content.decode()
    assert "Per started 30 / 60 s" in page
    assert "1 unit × 0.0900" in page


def test_an_account_without_prices_says_that_every_message_is_refused(
    people: Payers, olga: Client
) -> None:
    assert b"Every message is refused" in olga.get("/billing/accounts/acme/").content
    valid(people)
    assert b"Every message is refused" not in olga.get("/billing/accounts/acme/").content


def test_a_customer_reads_the_list_and_its_versions_and_changes_none(people: Payers) -> None:
    standard = valid(people)
    old = valid(
        people,
        name="Early",
        prices={"video": {"unit_price": 2_000}},
        valid_from=standard.valid_from.replace(year=2020),
        valid_until=standard.valid_from,
    )
    reader = browser(people.owner)
    page = reader.get(HOME)
    assert b"0.1450" in page.content
    assert b"<del" in page.content  # the previous value
    assert b"New version" not in page.content
    assert b"0.2000" in reader.get(f"{HOME}?version={old.pk}").content
    foreign = valid(people, account=Account.objects.create(slug="other", name="Other"))
    assert reader.get(f"{HOME}?version={foreign.pk}").status_code == 404
    assert reader.get(f"{HOME}?version=x").status_code == 404
    assert reader.post(NEW, {**given(), "publish": "1"}).status_code == 403
    assert Tariff.objects.count() == 3


def test_many_versions_are_folded(people: Payers) -> None:
    first = people.wallet.account.created_at.replace(year=2010)
    for year in range(8):
        valid(
            people,
            name=f"Prices {year}",
            valid_from=first.replace(year=2010 + year),
            valid_until=first.replace(year=2011 + year),
        )
    reader = browser(people.owner)
    assert b"Show 2 older versions" in reader.get(HOME).content
    assert b"older version" not in reader.get(f"{HOME}?all=1").content
