"""Health rules by API: created, changed, deleted; their actions, undone."""

from datetime import UTC, datetime
from typing import Any

import pytest

from numbers.models import HealthAction, HealthRule, Number, Pool
from numbers.models.health_rules import RULE_SETTINGS
from poolsite.access.models import AuditEntry
from tests.numbers.api_people import NOT_THEIRS, boss, refused
from tests.numbers.people import make_pool, tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PATH = "/pools/east/health/rules"
ONE = "+8613800000000"
AT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=1, account=tenant("north").account)


def rule_of(pool: Pool) -> HealthRule:
    return HealthRule.objects.create(pool=pool, name="Few answers")


def taken_out(pool: Pool) -> HealthAction:
    Number.objects.update(quarantined_at=AT, quarantined_reason="few answers")
    return HealthAction.objects.create(
        pool=pool,
        rule=rule_of(pool),
        rule_name="Few answers",
        number=ONE,
        action="rest",
        measure="asr",
        window="24h",
        value=1.0,
        day=AT.date(),
        at=AT,
    )


def test_a_rule_is_created_changed_and_deleted(pool: Pool) -> None:
    caller = boss()
    status, made = caller.post(PATH, name="Few answers", threshold=15, reason="new")
    assert (status, made["threshold"], made["held"], made["window"]) == (201, 15.0, 0, "24h")
    assert set(RULE_SETTINGS) <= set(made)
    one = f"{PATH}/{made['id']}"
    status, changed = caller.patch(one, enabled=False, least_calls=9)
    assert (status, changed["enabled"], changed["least_calls"]) == (200, False, 9)
    assert changed["threshold"] == 15.0
    assert [row["id"] for row in caller.get(PATH)[1]] == [made["id"]]
    assert caller.delete(f"{one}?reason=useless") == (204, None)
    assert not HealthRule.objects.exists()
    told = AuditEntry.objects.filter(action__startswith="numbers.health_rule").order_by("pk")
    assert [each.reason for each in told] == ["new", "", "useless"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": ""},
        {"name": "Few answers"},  # already taken
        {"name": "x", "threshold": 101},
        {"name": "x", "measure": "spam_sources"},  # below: means nothing
        {"name": "x", "measure": "mood"},
        {"name": "x", "rest_hours": 0},
        {"name": "x", "pool_percent": "10"},
        {"name": "x", "held": 1},
    ],
)
def test_a_bad_rule_is_not_created(pool: Pool, body: dict[str, Any]) -> None:
    rule_of(pool)
    status, told = boss().post(PATH, **body)
    assert (status, told["type"]) == (422, "malformed")
    assert HealthRule.objects.count() == 1


def test_what_a_rule_did_is_listed_and_undone(pool: Pool) -> None:
    caller, action = boss(), taken_out(pool)
    path = "/pools/east/health/actions"
    told = caller.get(path, number="13800000000", returned="false")[1]["data"]
    assert [(row["id"], row["rule"], row["returned_how"]) for row in told] == [
        (action.pk, "Few answers", "")
    ]
    assert caller.get(path, returned="true")[1]["data"] == []
    status, told = caller.post(f"{path}/{action.pk}/undo", reason="checked")
    assert (status, told["returned_how"]) == (200, "undone")
    assert Number.objects.get().quarantined_at is None
    assert caller.post(f"{path}/{action.pk}/undo")[1]["type"] == "not-allowed"
    assert caller.post(f"{path}/{2**70}/undo")[0] == 404


def test_a_rule_of_another_pool_is_not_found(pool: Pool) -> None:
    other = HealthRule.objects.create(pool=make_pool("west"), name="x")
    for key in (other.pk, other.pk + 1):
        assert boss().patch(f"{PATH}/{key}", enabled=False)[0] == 404
        assert boss().delete(f"{PATH}/{key}")[0] == 404
    assert HealthRule.objects.get().enabled


@pytest.mark.parametrize("what", ["create", "change", "delete", "undo"])
def test_who_may_not_operate_changes_nothing(pool: Pool, what: str) -> None:
    action = taken_out(pool)
    rule = HealthRule.objects.get()
    calls: dict[str, tuple[str, str, dict[str, Any]]] = {
        "create": ("POST", PATH, {"name": "x"}),
        "change": ("PATCH", f"{PATH}/{rule.pk}", {"enabled": False}),
        "delete": ("DELETE", f"{PATH}/{rule.pk}", {}),
        "undo": ("POST", f"/pools/east/health/actions/{action.pk}/undo", {}),
    }
    method, path, body = calls[what]
    assert refused(pool, method, path, **body) == NOT_THEIRS
    assert HealthRule.objects.get().enabled
    assert HealthAction.objects.get().returned_at is None
