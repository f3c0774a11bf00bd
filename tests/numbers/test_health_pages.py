"""Number health on pages and over HTTP: what is shown, and the users who may see and act."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from numbers.models import CallRecord, HealthAction, HealthRule, Number, Pool, SpamLabel
from numbers.selectors.health import HealthFilter, worst_numbers
from numbers.services import health_counting
from numbers.services.health_acting import health_tick
from poolsite.access.models import User
from tests.numbers.people import make_pool, operator, send, tenant, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

FIRST = 8613800000000
count_ended = transaction.atomic(health_counting.count_ended)


def calls(pool: Pool, number: int, answered: int, unanswered: int, switch: str = "fs-01") -> None:
    now = datetime.now(UTC)
    count_ended(
        pool.pk,
        [
            CallRecord(
                pool=pool,
                number=f"+{FIRST + number}",
                switch=switch,
                started_at=now - timedelta(seconds=30),
                ended_at=now,
                answered=place < answered,
            )
            for place in range(answered + unanswered)
        ],
    )


def browser(name: str = "olive") -> Client:
    if name == "olive":
        operator()
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=5, account=tenant("north").account)


RULE = {
    "name": "Low ASR",
    "enabled": "on",
    "measure": "asr",
    "direction": "below",
    "percent": "20",
    "least_calls": "20",
    "window": "24h",
    "action": "rest",
    "rest_hours": "24 h",
    "daily_limit": "5",
    "pool_percent": "50",
    "notify": "on",
}


def test_the_page_shows_the_worst_first_and_what_rules_did(pool: Pool) -> None:
    client = browser()
    assert "No calls in this window" in client.get("/pools/east/health/").content.decode()
    made = client.post("/pools/east/health/rules/new/", RULE)
    assert (made.status_code, HealthRule.objects.get().daily_limit) == (302, 5)
    calls(pool, 0, 1, 29)
    calls(pool, 1, 15, 15)
    calls(pool, 2, 3, 2)
    health_tick()
    page = client.get("/pools/east/health/?window=1h").content.decode()
    assert page.index(f"/numbers/+{FIRST}/") < page.index(f"/numbers/+{FIRST + 1}/")
    assert 'data-heat="0" data-out' in page
    assert "answer rate 3.3% over 30 calls · Low ASR" in page
    undo = f"/pools/east/health/undo/{HealthAction.objects.get().pk}/"
    assert browser("north-owner").post(undo).status_code == 403
    assert client.post(undo).status_code == 302
    assert Number.objects.get(value=f"+{FIRST}").quarantined_at is None
    assert "undone" in client.get("/pools/east/health/").content.decode()
    story = client.get(f"/numbers/+{FIRST}/").content.decode()
    assert "3.3 %" in story or "3.3%" in story
    assert client.get("/pools/east/").status_code == 200


def test_switches_that_do_not_tell_are_told_how(pool: Pool) -> None:
    send("east", "call", call_id="a")
    send("east", "hangup", call_id="a")
    page = browser().get("/pools/east/health/").content.decode()
    assert "No calls in this window" in page
    calls(pool, 0, 0, 0)
    now = datetime.now(UTC)
    count_ended(pool.pk, [CallRecord(pool=pool, number="1", started_at=now, ended_at=now)])
    page = browser().get("/pools/east/health/").content.decode()
    assert "report whether calls were answered" in page


def test_rules_are_changed_switched_off_and_deleted(pool: Pool) -> None:
    client = browser()
    client.post("/pools/east/health/rules/new/", RULE)
    rule = HealthRule.objects.get()
    address = f"/pools/east/health/rules/{rule.pk}/"
    assert client.get(address).status_code == 200
    assert client.post("/pools/east/health/rules/new/", RULE).status_code == 422, "the name"
    client.post(address, {**RULE, "percent": "15"})
    client.post(f"{address}switch/", {"enabled": "0"})
    rule.refresh_from_db()
    assert (rule.threshold, rule.enabled) == (15.0, False)
    assert "Disable" not in client.get("/pools/east/health/rules/").content.decode()
    client.post(f"{address}delete/", {"reason": "no use"})
    assert not HealthRule.objects.exists()


@pytest.mark.parametrize(
    ("given", "threshold", "direction"),
    [
        ({"measure": "asr", "percent": "12.5"}, 12.5, "below"),
        ({"measure": "unanswered_share", "direction": "above", "percent": "80"}, 80, "above"),
        ({"measure": "mean_duration", "talk_seconds": "2 min"}, 120, "below"),
        ({"measure": "spam_sources", "sources": "3"}, 3, "above"),
        (
            {"measure": "spam_sources", "sources": "3", "talk_seconds": "x", "percent": ""},
            3,
            "above",
        ),
    ],
)
def test_the_threshold_of_the_chosen_measure_counts(
    pool: Pool, given: dict[str, str], threshold: float, direction: str
) -> None:
    client = browser()
    made = client.post("/pools/east/health/rules/new/", {**RULE, **given})
    assert made.status_code == 302
    rule = HealthRule.objects.get()
    assert (rule.threshold, rule.direction) == (threshold, direction)
    form = client.get(f"/pools/east/health/rules/{rule.pk}/").context["form"]
    its = next(name for name in ("sources", "talk_seconds", "percent") if name in given)
    assert form.initial[its] == threshold


@pytest.mark.parametrize(
    "given",
    [
        {"measure": "asr", "percent": "101"},
        {"measure": "short_share", "percent": ""},
        {"measure": "mean_duration", "talk_seconds": "90"},
        {"measure": "spam_sources", "sources": "0"},
        {"measure": "nonsense"},
    ],
)
def test_a_threshold_has_to_suit_its_measure(pool: Pool, given: dict[str, str]) -> None:
    client = browser()
    settings = {"measure": "mean_duration", "talk_seconds": "600 s"}
    client.post("/pools/east/health/rules/new/", {**RULE, **settings})
    rule = HealthRule.objects.get()
    address = f"/pools/east/health/rules/{rule.pk}/"
    refused = client.post(address, {**RULE, "talk_seconds": "600 s", "sources": "2", **given})
    assert refused.status_code == 422
    assert set(refused.context["form"].errors) == {list(given)[-1]}
    rule.refresh_from_db()
    assert (rule.measure, rule.threshold) == ("mean_duration", 600)


def test_a_rule_goes_on_to_another_measure(pool: Pool) -> None:
    client = browser()
    client.post("/pools/east/health/rules/new/", RULE)
    address = f"/pools/east/health/rules/{HealthRule.objects.get().pk}/"
    opened = {"initial-percent": "20", "initial-sources": "2", "initial-talk_seconds": "10 s"}
    form = {**RULE, "measure": "spam_sources", "sources": "4", "talk_seconds": "10 s", **opened}
    assert client.post(address, form).status_code == 302
    assert HealthRule.objects.get().threshold == 4


def test_a_stranger_sees_nothing(pool: Pool) -> None:
    tenant("south")
    client = browser("south-owner")
    for path in ("", "rules/", "labels/", "rules/new/"):
        assert client.get(f"/pools/east/health/{path}").status_code == 404


def test_a_csv_of_labels_is_read_and_shown(pool: Pool) -> None:
    client = browser()
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    text = f"number,source,label,seen_at\n{FIRST},Hiya,Spam risk,{day}\nx,y,z,\n"
    page = client.post(
        "/pools/east/health/labels/", {"file": SimpleUploadedFile("labels.csv", text.encode())}
    ).content.decode()
    assert "Labels added: 1. Already known: 0. Rows refused: 1." in page
    assert "This is not a number." in page
    assert SpamLabel.objects.get().source == "hiya"
    assert "hiya: Spam risk" in client.get(f"/numbers/+{FIRST}/").content.decode()
    refused = client.post(
        "/pools/east/health/labels/", {"file": SimpleUploadedFile("a.csv", b"a,b\n")}
    )
    assert refused.status_code == 422


def test_pages_of_the_worst_numbers_follow_each_other(pool: Pool) -> None:
    for number in range(5):
        calls(pool, number, number // 2, 20 - number // 2)
    seen, after = [], ""
    while True:
        page = worst_numbers(pool, HealthFilter(), after, limit=2)
        seen += [row.number for row in page.rows]
        after = page.next
        if not after:
            break
    assert seen == [f"+{FIRST + number}" for number in range(5)]
    assert worst_numbers(pool, HealthFilter(switch="fs-09")).rows == []


# -- over HTTP -----------------------------------------------------------------------------------


def api(secret: str, path: str, body: Any = None) -> tuple[int, Any]:
    headers = {"Authorization": f"Bearer {secret}"}
    client = Client()
    if body is None:
        response = client.get(f"/api/v1{path}", headers=headers)
    else:
        response = client.post(
            f"/api/v1{path}", body, content_type="application/json", headers=headers
        )
    return response.status_code, response.json()


def test_the_figures_over_http(pool: Pool) -> None:
    secret = token_for(pool)
    calls(pool, 0, 5, 15)
    status, body = api(secret, "/pools/east/health?window=1h")
    assert (status, body["figures"]["asr"], body["switches"][0]["key"]) == (200, 0.25, "fs-01")
    status, body = api(secret, "/pools/east/health/numbers")
    assert (status, body["numbers"][0]["number"], body["next"]) == (200, f"+{FIRST}", "")
    assert api(secret, "/pools/east/health/rules") == (200, [])
    assert api(secret, "/pools/east/health?window=2h")[0] == 422
    assert (
        api(token_for(make_pool("other", account=tenant("south").account)), "/pools/east/health")[0]
        == 404
    )


def test_labels_over_http(pool: Pool) -> None:
    seen = datetime.now(UTC).isoformat()
    label = {"number": f"+{FIRST}", "source": "Hiya", "label": "Spam", "seen_at": seen}
    body = {"labels": [label, label, {**label, "number": "4711"}]}
    assert api(token_for(pool), "/pools/east/spam-labels", body)[0] == 403
    secret = token_for(pool, actions=["numbers.view", "numbers.label"])
    status, told = api(secret, "/pools/east/spam-labels", body)
    assert (status, told["added"], told["known"]) == (200, 1, 1)
    assert told["refused"] == [{"item": 2, "reason": "This number is not in the pool."}]
    assert api(secret, "/pools/east/spam-labels", {"labels": []})[0] == 422
    assert api(secret, "/pools/east/spam-labels", {"labels": [{**label, "x": 1}]})[0] == 422
    stranger = token_for(
        make_pool("other", account=tenant("south").account),
        actions=["numbers.view", "numbers.label"],
    )
    assert api(stranger, "/pools/east/spam-labels", body)[0] == 404
