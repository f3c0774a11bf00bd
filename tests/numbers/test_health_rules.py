"""Rules rest and quarantine numbers by their health, within their limits, and return them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connections, transaction

from numbers import pool as commands
from numbers import services
from numbers.errors import NumbersError
from numbers.models import CallRecord, HealthAction, HealthRule, Number, Pool, SpamLabel
from numbers.services import health_counting
from numbers.services.health_acting import evaluate, health_tick, health_undo
from numbers.services.health_counting import count_ended
from numbers.services.health_rules import (
    health_rule_change,
    health_rule_create,
    health_rule_delete,
)
from numbers.services.spam_labels import read_rows, spam_labels_add
from poolsite import access, hotpath
from poolsite.access.models import AuditEntry
from poolsite.operations.models import Incident
from tests.numbers.people import make_pool, operator, send, tenant
from tests.uploads.workbooks import MAIN, SHEET, STRINGS, STYLES, strings, workbook, worksheet

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

NOW = datetime.now(UTC).replace(microsecond=0)
FIRST = 8613800000000
HOUR = timedelta(hours=1)


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let windows of a new pool begin by the test's time, whatever slot the clock is in."""
    monkeypatch.setattr(health_counting, "timezone", SimpleNamespace(now=lambda: NOW))


def line(number: int) -> str:
    return f"+{FIRST + number}"


def calls(
    pool: Pool, number: int, answered: int, unanswered: int, *, at: datetime = NOW, **given: Any
) -> None:
    """Write calls of the pool's nth number that ended at a moment, counted as the drain would."""
    talk = given.pop("talk_seconds", 30)
    records = [
        CallRecord(
            pool=pool,
            number=line(number),
            started_at=at - timedelta(seconds=40),
            ended_at=at,
            answered=place < answered,
            talk_seconds=talk if place < answered else None,
            **given,
        )
        for place in range(answered + unanswered)
    ]
    with transaction.atomic():
        count_ended(pool.pk, records)


def rule_of(pool: Pool, **given: Any) -> HealthRule:
    settings = {"name": "Low ASR", "least_calls": 20, "pool_percent": 100.0, **given}
    return health_rule_create(actor="test", pool=pool, **settings)


def why_not(pool: Pool, number: int) -> str:
    states = hotpath.run(commands.states(pool.slug, [line(number)]))
    assert states is not None
    return states.by_number[line(number)].why_not(states.as_of_us)


def held() -> list[str]:
    rows = Number.objects.filter(quarantined_at__isnull=False)
    return sorted(rows.values_list("value", flat=True))


def test_a_bad_number_rests_for_its_hours_and_returns() -> None:
    pool = make_pool(numbers=3)
    rule = rule_of(pool, rest_hours=24)
    calls(pool, 0, 2, 28)
    calls(pool, 1, 20, 10)
    calls(pool, 2, 0, 19)  # too few to decide
    assert health_tick(NOW)["applied"] == 1
    action = HealthAction.objects.get()
    assert (action.number, action.until) == (line(0), NOW + 24 * HOUR)
    assert action.reason == "answer rate 6.7 % over 30 calls in 24h, rule Low ASR"
    number = Number.objects.get(value=line(0))
    assert (number.quarantined_by, number.quarantined_reason) == ("rule: Low ASR", action.reason)
    assert why_not(pool, 0) == "quarantined"
    assert why_not(pool, 1) == ""
    entry = AuditEntry.objects.get(action="numbers.health_apply")
    assert (entry.actor_name, entry.reason) == ("numbers.health", action.reason)
    incident = Incident.objects.get(until=None)
    assert incident.type == "numbers.health_rule"
    assert incident.detail.endswith(f"{line(0)}, answer rate 6.7% over 30 calls.")
    assert health_tick(NOW + HOUR)["applied"] == 0
    # The worker was away: `until` counts, not the time of the check.
    assert health_tick(NOW + 30 * HOUR)["returned"] == 1
    assert why_not(pool, 0) == ""
    assert held() == []
    action.refresh_from_db()
    assert (action.returned_how, action.returned_at) == ("ended", NOW + 30 * HOUR)
    assert not Incident.objects.filter(until=None).exists()
    health_rule_delete(actor="test", rule=rule)
    assert HealthAction.objects.get().rule is None


@pytest.mark.parametrize(
    ("given", "answered", "unanswered", "talk"),
    [
        ({"measure": "unanswered_share", "direction": "above", "threshold": 80}, 2, 28, 30),
        ({"measure": "short_share", "direction": "above", "threshold": 50}, 25, 0, 3),
        ({"measure": "mean_duration", "direction": "below", "threshold": 10}, 25, 5, 9),
        ({"measure": "asr", "direction": "above", "threshold": 99, "window": "7d"}, 30, 0, 30),
    ],
)
def test_every_measure_finds_its_numbers_and_no_others(
    given: dict[str, Any], answered: int, unanswered: int, talk: int
) -> None:
    pool = make_pool(numbers=2)
    rule_of(pool, action="quarantine", **given)
    calls(pool, 0, answered, unanswered, talk_seconds=talk)
    calls(pool, 1, 20, 20)
    health_tick(NOW)
    assert held() == [line(0)]
    assert HealthAction.objects.get().until is None


def test_a_rest_also_ends_in_the_pool_to_which_its_number_was_moved() -> None:
    pool, west = make_pool(numbers=3), make_pool("west")
    rule_of(pool, rest_hours=24)
    calls(pool, 0, 2, 28)
    assert health_tick(NOW)["applied"] == 1
    services.numbers_move(actor="test", numbers=[Number.objects.get(value=line(0))], pool=west)
    health_tick(NOW + HOUR)
    assert held() == [line(0)]
    assert health_tick(NOW + 30 * HOUR)["returned"] == 1
    assert held() == []
    assert why_not(west, 0) == "offline"


def test_after_its_return_only_later_calls_count() -> None:
    pool = make_pool(numbers=1)
    rule_of(pool, rest_hours=1, window="7d")
    calls(pool, 0, 0, 30)
    health_tick(NOW)
    back = NOW + 2 * HOUR
    assert health_tick(back)["returned"] == 1
    calls(pool, 0, 0, 19, at=back + HOUR)
    assert health_tick(back + 2 * HOUR)["applied"] == 0
    calls(pool, 0, 0, 1, at=back + HOUR)
    assert health_tick(back + 2 * HOUR)["applied"] == 1
    assert HealthAction.objects.latest("at").calls == 20


def test_undo_gives_the_number_back_and_exempts_it_for_the_window() -> None:
    pool = make_pool(numbers=1)
    rule_of(pool, action="quarantine")
    calls(pool, 0, 0, 30)
    health_tick(NOW)
    action = HealthAction.objects.get()
    olive = operator()
    health_undo(actor=olive, action=action, now=NOW + HOUR)
    assert (action.returned_how, action.returned_by) == ("undone", "olive")
    assert why_not(pool, 0) == ""
    assert AuditEntry.objects.filter(action="numbers.health_undo", actor_name="olive").exists()
    with pytest.raises(NumbersError):
        health_undo(actor=olive, action=action, now=NOW + HOUR)
    calls(pool, 0, 0, 30, at=NOW + 3 * HOUR)
    assert health_tick(NOW + 24 * HOUR)["applied"] == 0, "exempt for 24 h"
    assert health_tick(NOW + 26 * HOUR)["applied"] == 1


def test_a_foreign_tenant_can_neither_undo_nor_make_rules() -> None:
    pool = make_pool(numbers=1, account=tenant("mine").account)
    rule_of(pool)
    calls(pool, 0, 0, 30)
    health_tick(NOW)
    theirs = tenant("theirs").principal
    with pytest.raises(access.Hidden):
        health_undo(actor=theirs, action=HealthAction.objects.get())
    with pytest.raises(access.Hidden):
        health_rule_create(actor=theirs, pool=pool, name="x")
    with pytest.raises(access.Hidden):
        spam_labels_add(actor=theirs, pool=pool, rows=[])


def test_the_daily_limit_and_the_share_of_the_pool_hold() -> None:
    pool = make_pool(numbers=10)
    rule = rule_of(pool, daily_limit=3, rest_hours=2)
    for number in range(8):
        calls(pool, number, number, 40 - number)
    health_tick(NOW)
    assert held() == [line(number) for number in range(3)], "the worst first"
    limit = Incident.objects.get(until=None, type="numbers.health_limit")
    assert limit.params["daily"] == 3
    assert health_tick(NOW)["applied"] == 0
    tomorrow = NOW + 24 * HOUR
    for number in range(3, 8):
        calls(pool, number, 0, 40, at=tomorrow)
    health_rule_change(actor="test", rule=rule, daily_limit=9, pool_percent=40.0)
    assert health_tick(tomorrow)["applied"] == 4
    assert len(held()) == 4


def test_two_workers_at_once_keep_the_daily_limit() -> None:
    pool = make_pool(numbers=20)
    rule = rule_of(pool, daily_limit=5)
    for number in range(20):
        calls(pool, number, 0, 40)

    def work(_: int) -> int:
        try:
            return evaluate(HealthRule.objects.select_related("pool").get(pk=rule.pk), NOW)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as workers:
        taken = list(workers.map(work, range(4)))
    assert sum(taken) == 5
    assert (HealthAction.objects.count(), len(held())) == (5, 5)


def test_what_others_did_meanwhile_stays() -> None:
    pool = make_pool(numbers=3)
    rule_of(pool, rest_hours=1)
    for number in range(3):
        calls(pool, number, 0, 40)
    health_tick(NOW)
    first, second, third = (line(number) for number in range(3))
    services.numbers_release(actor="test", pool=pool, values=[first, second])
    services.numbers_quarantine(actor="test", pool=pool, values=[second], reason="by hand")
    services.numbers_delete(actor="test", pool=pool, values=[third])
    assert health_tick(NOW + HOUR)["applied"] == 0
    assert held() == [second]
    assert Number.objects.get(value=second).quarantined_reason == "by hand"
    assert set(HealthAction.objects.values_list("returned_how", flat=True)) == {"released"}


def test_a_rest_survives_the_loss_of_redis() -> None:
    pool = make_pool(numbers=2)
    rule_of(pool, rest_hours=1)
    calls(pool, 0, 0, 40)
    health_tick(NOW)
    hotpath.client().flushall()
    services.watch_pools(0, 1, counting=True)
    assert why_not(pool, 0) == "quarantined"
    assert health_tick(NOW + HOUR)["returned"] == 1
    assert why_not(pool, 0) != "quarantined"
    assert services.pool_reconcile(pool=pool, check=True).drift == {}


def test_a_rule_that_is_off_or_means_nothing_does_nothing() -> None:
    pool = make_pool(numbers=1)
    rule = rule_of(pool, enabled=False)
    calls(pool, 0, 0, 40)
    assert health_tick(NOW)["applied"] == 0
    with pytest.raises(ValidationError):
        health_rule_change(actor="test", rule=rule, threshold=101.0)
    with pytest.raises(ValidationError):
        health_rule_change(actor="test", rule=rule, measure="spam_sources")
    with pytest.raises(ValidationError):
        rule_of(pool)  # the name is taken
    assert AuditEntry.objects.filter(action="numbers.health_rule_create").count() == 1


# -- spam labels --------------------------------------------------------------------------------


def label(number: int, source: str = "Hiya", at: datetime = NOW, **more: Any) -> dict[str, Any]:
    seen_at = at.isoformat()
    return {
        "number": line(number),
        "source": source,
        "label": "Spam risk",
        "seen_at": seen_at,
        **more,
    }


def test_labels_are_kept_once_and_bad_rows_are_named() -> None:
    pool = make_pool(numbers=2)
    rows = [
        label(0),
        label(0),
        label(0, "hiya "),
        label(7),
        label(1, seen_at="yesterday"),
        label(1, seen_at=(NOW + 2 * HOUR).isoformat()),
        {**label(1), "number": "abc"},
        {**label(1), "source": ""},
        label(1, label="x" * 65),
        label(1, "TrueCaller"),
    ]
    done = spam_labels_add(actor="test", pool=pool, rows=enumerate(rows, 1), now=NOW)
    assert (done.added, done.known) == (2, 2)
    assert [each.row for each in done.refused] == [4, 5, 6, 7, 8, 9]
    again = spam_labels_add(actor="test", pool=pool, rows=enumerate(rows, 1), now=NOW)
    assert (again.added, again.known, SpamLabel.objects.count()) == (0, 4, 2)
    assert AuditEntry.objects.filter(action="numbers.spam_labels_add").count() == 1


def test_a_labelled_number_is_quarantined_and_after_undo_by_new_labels_only() -> None:
    pool = make_pool(numbers=2)
    rule_of(
        pool,
        name="Spam",
        measure="spam_sources",
        direction="above",
        threshold=2,
        action="quarantine",
        window="7d",
    )
    spam_labels_add(actor="test", pool=pool, rows=enumerate([label(0), label(1)]), now=NOW)
    assert health_tick(NOW)["applied"] == 0
    rows = [label(0, "TrueCaller"), label(1, at=NOW - HOUR)]
    spam_labels_add(actor="test", pool=pool, rows=enumerate(rows), now=NOW)
    assert health_tick(NOW)["applied"] == 1
    action = HealthAction.objects.get()
    assert action.reason == "labelled as spam by 2 sources in 7d, rule Spam"
    health_undo(actor=operator(), action=action, now=NOW)
    later = NOW + timedelta(days=7, hours=1)
    fresh = [label(0, source, later) for source in ("Hiya", "TrueCaller")]
    spam_labels_add(actor="test", pool=pool, rows=enumerate(fresh[:1]), now=later)
    assert health_tick(later)["applied"] == 0
    spam_labels_add(actor="test", pool=pool, rows=enumerate(fresh[1:]), now=later)
    assert health_tick(later)["applied"] == 1


@pytest.mark.parametrize(
    "content",
    [
        b"number,source\n138,Hiya\n",
        b"\xff\xfe",
        b"",
        b'number,source,label,seen_at\n138,"Hiya,spam,2026-01-01\n',
    ],
)
def test_a_file_that_is_no_such_csv_is_refused_and_nothing_kept(content: bytes) -> None:
    pool = make_pool(numbers=1)
    with pytest.raises(ValidationError):
        spam_labels_add(actor="test", pool=pool, rows=read_rows(content, "a.csv"))
    assert not SpamLabel.objects.exists()


def test_a_csv_names_its_columns_in_any_order() -> None:
    text = "Label,number,seen_at,source\nSpam,13800000000,2026-03-01,Hiya\n"
    assert list(read_rows(b"\xef\xbb\xbf" + text.encode(), "a.csv")) == [
        (2, {"label": "Spam", "number": "13800000000", "seen_at": "2026-03-01", "source": "Hiya"})
    ]


def test_labels_keep_their_delimiters_and_rows_their_lines() -> None:
    text = 'number,source,label,seen_at\n1,Hiya,"a;b;c;d;e,\nf",2026-03-01\n\n2,H,l,d,more\n3\n'
    assert [(line, row.get("label")) for line, row in read_rows(text.encode(), "a.csv")] == [
        (3, "a;b;c;d;e,\nf"),
        (5, None),
        (6, None),
    ]


def test_labels_of_a_workbook_are_those_of_a_csv() -> None:
    words = ("number", "source", "label", "seen_at", "Hiya", "Spam")
    head, source, label = (
        "".join(f'<c t="s"><v>{place}</v></c>' for place in places)
        for places in (range(4), (4,), (5,))
    )
    rows = (
        f'<row r="1">{head}</row><row r="3"><c><v>13800000000</v></c>{source}{label}'
        '<c s="1"><v>46082</v></c></row><row r="4"><c><f>1+1</f><v>2</v></c></row>'
    )
    styles = f'<styleSheet xmlns="{MAIN}"><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>'
    content = workbook({SHEET: worksheet(rows), STRINGS: strings(*words), STYLES: styles})
    pool = make_pool(numbers=1)
    now = datetime(2026, 3, 2, tzinfo=UTC)
    given = read_rows(content, "A.XLSX")
    done = spam_labels_add(actor="test", pool=pool, rows=given, now=now)
    assert (done.added, [each.row for each in done.refused]) == (1, [4])
    kept = SpamLabel.objects.get()
    assert (kept.source, kept.label) == ("hiya", "Spam")


def test_a_rule_does_not_touch_running_calls() -> None:
    pool = make_pool(numbers=1)
    rule_of(pool)
    send("east", "call", call_id="a")
    calls(pool, 0, 0, 40)
    health_tick(NOW)
    assert send("east", "hangup", call_id="a").state == "idle+up"
    assert why_not(pool, 0) == "quarantined"
