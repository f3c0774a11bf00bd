"""Call rates in the API: created with a tariff, returned with it, listed page by page."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from billing.models import CallRate, Tariff
from tests.billing.api.book_keepers import Office

pytestmark = pytest.mark.django_db(transaction=True)
PRICES = {"video": {"unit_price": "0.5"}}
RATE = {"prefix": "+4917", "destination": "Germany mobile", "price_per_minute": "0.12"}
FULL = {
    **RATE,
    "days": ["mon", "fri"],
    "start": "08:00",
    "end": "18:00",
    "first_increment": 60,
    "increment": 1,
    "connection_fee": "0.05",
}


def body(**given: Any) -> dict[str, Any]:
    begin = (timezone.now() + timedelta(days=3)).isoformat()
    return {"name": "Spring", "prices": PRICES, "valid_from": begin} | given


def test_rates_are_told_as_they_were_given(office: Office) -> None:
    made = office.ask("post", "tariffs", body(call_rates=[FULL, RATE]), who="olga").json()
    wide = {
        **RATE,
        "days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        "start": "00:00",
        "end": "24:00",
        "price_per_minute": "0.1200",
        "first_increment": 60,
        "increment": 60,
        "connection_fee": "0.0000",
    }
    full = {**FULL, "price_per_minute": "0.1200", "connection_fee": "0.0500"}
    assert made["call_rates_count"] == 2
    path = f"tariffs/{made['id']}"
    told = office.ask("get", path).json()["call_rates"]
    assert sorted(told, key=lambda rate: rate["end"]) == [full, wide]
    rows = office.ask("get", f"{path}/call-rates").json()["data"]
    assert sorted(rows, key=lambda rate: rate["end"]) == [full, wide]
    listed = office.ask("get", "tariffs", {"state": "scheduled"}).json()["data"][0]
    assert listed["call_rates_count"] == 2
    assert "call_rates" not in listed


def test_a_change_keeps_them_unless_it_names_others(office: Office) -> None:
    made = office.ask("post", "tariffs", body(call_rates=[RATE]), who="olga").json()
    path = f"tariffs/{made['id']}"
    kept = office.ask("patch", path, body(name="Summer"), who="olga").json()
    assert (kept["name"], kept["call_rates_count"]) == ("Summer", 1)
    other = office.ask(
        "patch", path, body(call_rates=[{**RATE, "prefix": "+43"}, FULL]), who="olga"
    ).json()
    assert [rate["prefix"] for rate in other["call_rates"]] == ["+43", "+4917"]
    none = office.ask("patch", path, body(call_rates=[]), who="olga").json()
    assert (none["call_rates"], none["call_rates_count"]) == ([], 0)
    assert not CallRate.objects.exists()


@pytest.mark.parametrize(
    "rates",
    [
        [RATE, RATE],
        [{**RATE, "prefix": "49x"}],
        [{**RATE, "prefix": "+"}],
        [{**RATE, "destination": ""}],
        [{**RATE, "price_per_minute": "-1"}],
        [{**RATE, "increment": 0}],
        [{**RATE, "days": ["someday"]}],
        [{**RATE, "start": "25:00"}],
        [{**RATE, "start": "08:00", "end": "08:00"}],
        [{**RATE, "odd": 1}],
        [{**FULL, "days": None}, {**FULL, "start": "17:00", "end": "19:00"}],
    ],
)
def test_wrong_rates_are_refused_and_nothing_is_kept(office: Office, rates: list[Any]) -> None:
    before = Tariff.objects.count()
    for part in ("tariffs", "tariff-previews"):
        answer = office.ask("post", part, body(call_rates=rates), who="olga")
        assert answer.status_code == 422, answer.content
    assert (Tariff.objects.count(), CallRate.objects.count()) == (before, 0)


def test_a_preview_counts_them_and_keeps_none(office: Office) -> None:
    told = office.ask("post", "tariff-previews", body(call_rates=[RATE]), who="olga").json()
    assert told["call_rates_count"] == 1
    assert not CallRate.objects.exists()


def test_many_rates_are_listed_page_by_page_and_found(office: Office) -> None:
    rates = [{**RATE, "prefix": f"+{number}"} for number in range(1_000, 1_300)]
    made = office.ask("post", "tariffs", body(call_rates=rates), who="olga").json()
    path, seen = f"tariffs/{made['id']}/call-rates", []
    query: dict[str, Any] = {"limit": 100}
    while True:
        page = office.ask("get", path, query).json()
        seen += [rate["prefix"] for rate in page["data"]]
        if not page["next"]:
            break
        query = {"limit": 100, "cursor": page["next"]}
    assert seen == [f"+{number}" for number in range(1_000, 1_300)]
    found = office.ask("get", path, {"q": "+11005"}).json()["data"]
    assert [rate["prefix"] for rate in found] == ["+1100"]
    assert office.ask("get", path, who="stranger").status_code == 404
