"""One judgement of health: how a part that stops responding is shown, in every place."""

import re
import threading
from dataclasses import replace

import pytest
from django.conf import settings
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from poolsite import hotpath, operations, timers
from poolsite.jobs import lease, presence, queues, sweeping
from poolsite.jobs.registry import QUEUES
from poolsite.operations import Check, Finding, attention, clock, health, metrics, watch
from poolsite.operations.models import Incident, Notice, NoticeTarget
from poolsite.operations.registry import CHECKS
from poolsite.timers import state
from tests.access.world import World, make_world
from tests.operations.marks import set_running, set_timers, set_worker
from tests.operations.probing import ask, topic_data
from tests.support.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)

NOWHERE = "redis://127.0.0.1:1/0"


@pytest.fixture
def operator() -> Client:
    world: World = make_world()
    return world.client("operate")


@pytest.fixture(autouse=True)
def _all_at_work(clean_redis: object, monkeypatch) -> None:
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 0.0)
    set_running()


def judged_again() -> health.Health:
    health.forget()
    return health.read()


def no_timers() -> None:
    hotpath.client().delete(state.PROCESSES_KEY)


def a_shard_without_timers() -> None:
    hotpath.run(lease.command("release", state.lease_tag(3), "test", 0))


def paused_timers() -> None:
    set_timers(paused="clock step")


def no_worker() -> None:
    hotpath.client().delete(presence.KEY)


def silent_worker() -> None:
    set_worker(*QUEUES, age_seconds=presence.SILENT_SECONDS + 1)


def no_worker_for_the_books() -> None:
    set_worker("jobs", "history")


def late_workers() -> None:
    queues.count_expired("books")


def no_beat() -> None:
    hotpath.client().delete(sweeping.BEAT_KEY)


def no_web() -> None:
    hotpath.client().delete(timers.WEB_KEY)


def clock_in_doubt() -> None:
    sweeping.pause("clock step of +600.0 s")


def full_redis() -> None:
    hotpath.client().config_set("maxmemory", "1")


SILENCES = {
    no_timers: ("timers", "No timers are running"),
    a_shard_without_timers: ("timers", "No timers process serves 1 of 8 shards"),
    paused_timers: ("timers", "Timers are paused"),
    no_worker: ("workers", "No workers are running"),
    silent_worker: ("workers", "No workers are running"),
    no_worker_for_the_books: ("workers", "No worker on queue books"),
    late_workers: ("workers", "Workers are falling behind"),
    no_beat: ("beat", "The scheduler is not running"),
    no_web: ("web", "No web processes are running"),
    clock_in_doubt: ("clock", "Redis&#x27; clock jumped"),
    full_redis: ("redis", "Redis refuses writes"),
}


@pytest.mark.parametrize("silence", SILENCES, ids=lambda each: each.__name__)
def test_each_silence_is_told_everywhere_in_the_same_words_and_only_that(operator, silence):
    check, title = SILENCES[silence]
    try:
        silence()
        health.forget()
        assert everywhere_wrong(operator, title) == {check}
    finally:
        hotpath.client().config_set("maxmemory", "0")
    set_running()
    sweeping.resume()
    hotpath.client().delete(queues.EXPIRED_KEY + "books")
    health.forget()
    assert everywhere_wrong(operator, "All is well") == set()


def everywhere_wrong(operator: Client, title: str) -> set[str]:
    """Return the checks in trouble. Assert that every place shows the same ones."""
    wrong = {each.check.name for each in health.read().answers if each.trouble}
    probe = ask("/readyz").json()
    said = {name for name, text in probe["checks"].items() if text != "ok"} | set(probe["warnings"])
    assert said == wrong
    assert probe["status"] == ("not ready" if wrong & {"redis", "sql"} else "ready")
    up = {s.labels["check"]: s.value for family in metrics._health() for s in family.samples}
    assert {name for name, value in up.items() if not value} == wrong
    system = operator.get("/system/")
    assert {row["name"] for row in system.context["health_rows"] if row["severity"]} == wrong
    overview = operator.get("/overview/")
    assert title in overview.content.decode()
    assert {cause.worst.object for cause in overview.context["causes"]} == {
        health.read().of(name).check.key[1] for name in wrong
    }
    (card,) = (data for card, data in overview.context["cards"] if card.name == "system")
    assert bool(card.severity) == bool(wrong)
    assert sum(bool(figure.severity) for figure in card.figures) == len(wrong)
    assert len(topic_data("operations.incidents:all")["causes"]) == len(wrong)
    return wrong


def test_a_redis_that_is_away_is_one_problem_though_every_check_fails():
    with hotpath.connect(NOWHERE):
        (found,) = judged_again().incidents()
    assert (found.type, found.title) == ("health.redis", "Redis can't be reached")


@pytest.mark.parametrize("missing", [no_worker, no_beat, no_timers, no_web])
def test_a_redis_that_takes_no_writes_is_the_one_problem_though_marks_are_missing(missing):
    missing()
    try:
        full_redis()
        found = judged_again()
    finally:
        hotpath.client().config_set("maxmemory", "0")
    assert [row.title for row in found.incidents()] == ["Redis refuses writes"]
    assert judged_again().incidents()[0].title != "Redis refuses writes"


def test_what_to_do_about_a_redis_that_refuses_writes_depends_on_why():
    full_redis()
    try:
        trouble = judged_again().of("redis").trouble
    finally:
        hotpath.client().config_set("maxmemory", "0")
    assert trouble is not None
    assert trouble.remedy.startswith("Raise its memory limit")
    assert "primary" not in str(trouble.remedy)


def test_what_could_not_be_known_while_redis_refused_is_in_trouble_only_from_then_on():
    """Marks expire meanwhile: a web process must not be reported as gone when Redis is back."""
    no_web()
    full_redis()
    try:
        health.forget()
        health.read()
        refused_until = timezone.now()
    finally:
        hotpath.client().config_set("maxmemory", "0")
    until(lambda: health.read().of("redis").trouble is None)
    web = health.read().of("web")
    assert web.trouble is not None
    assert web.since is not None
    assert web.since > refused_until


def test_an_sql_that_is_away_is_one_problem_and_the_topic_still_tells_it(monkeypatch):
    def away() -> Finding:
        raise DatabaseError("connection refused")

    for name in ("sql", "migrations"):
        check = Check(name, name, away, required=True, needs="sql")
        operations.register_check(check)
    monkeypatch.setattr(attention, "_open", away)
    health.forget()
    (cause,) = topic_data("operations.incidents:all")["causes"]
    assert cause["title"] == "The SQL database can't be reached"


def test_history_that_hangs_while_redis_is_away_is_no_trouble_of_sql(monkeypatch):
    """The check reads both, so a Redis that hangs was sometimes reported as SQL being down."""
    goes_on = threading.Event()

    def hangs() -> Finding:
        goes_on.wait()
        return Finding()

    def away() -> Finding:
        raise hotpath.Unavailable("silent")

    monkeypatch.setattr(health, "CHECK_SECONDS", 0.1)
    operations.register_check(replace(CHECKS["history"], ask=hangs))
    operations.register_check(replace(CHECKS["redis"], ask=away))
    try:
        judged = judged_again()
    finally:
        goes_on.set()
    assert judged.of("history").trouble == health.AWAY["redis"]
    assert judged.of("sql").trouble is None


def test_a_check_that_is_asked_anew_meanwhile_keeps_the_answer_it_gave(monkeypatch):
    """The first reader waits for a slow part. A second reader asks the fast part again."""
    slow, again, asked = threading.Event(), threading.Event(), []

    def quick() -> Finding:
        asked.append(1)
        if len(asked) > 1:
            again.wait(20)
        return Finding("1")

    def hangs() -> Finding:
        slow.wait(20)
        return Finding("1")

    monkeypatch.setitem(CHECKS, "quick", Check("quick", "Quick", quick))
    monkeypatch.setitem(CHECKS, "slow", Check("slow", "Slow", hangs))
    monkeypatch.setattr(health, "CHECK_SECONDS", 20.0)
    health.forget()
    judged: list[health.Health] = []
    readers = [threading.Thread(target=lambda: judged.append(health.read())) for _ in range(2)]
    try:
        readers[0].start()
        until(lambda: asked and health._asked["quick"]._future.done())
        readers[1].start()
        until(lambda: len(asked) == 2)
        slow.set()
        readers[0].join(20)
        assert [each.trouble for each in judged[0].answers] == [None] * len(judged[0].answers)
    finally:
        slow.set()
        again.set()
        for reader in readers:
            reader.join(20)
        health.forget()


def test_an_account_is_told_nothing_of_the_platforms_health():
    world = make_world()
    no_worker()
    health.forget()
    assert topic_data(f"operations.incidents:{world.own.pk}")["causes"] == []
    assert world.client("owner").get("/overview/").context["causes"] == []


def test_a_trouble_becomes_an_incident_when_it_has_lasted_and_ends_with_it(monkeypatch):
    no_worker()
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 3_600.0)
    assert watch.keep(judged_again()) == 0  # a worker that is restarting
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 0.0)
    assert watch.keep(health.read()) == 1
    assert watch.keep(health.read()) == 1
    row = Incident.objects.get()
    assert (row.type, row.object, row.title) == (
        "health.workers",
        "workers",
        "No workers are running",
    )
    set_running()
    assert watch.keep(judged_again()) == 0
    row.refresh_from_db()
    assert row.until is not None


def test_what_another_process_has_seen_before_counts(monkeypatch):
    """Each sweep may be another worker's. Together, they measure how long a trouble lasts."""
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 5.0)
    no_worker()
    assert watch.keep(judged_again()) == 0
    seen_earlier(6)
    assert watch.keep(judged_again()) == 1  # as if seen by a process for the first time


def test_a_trouble_that_was_over_meanwhile_begins_anew(monkeypatch):
    monkeypatch.setattr(watch, "SETTLED_SECONDS", 5.0)
    no_worker()
    watch.keep(judged_again())
    seen_earlier(6)
    set_running()
    assert watch.keep(judged_again()) == 0
    no_worker()
    assert watch.keep(judged_again()) == 0


def seen_earlier(seconds: int) -> None:
    """Move the times in the processes' common record of troubles into the past."""
    for name, at in hotpath.client().hgetall(watch.SEEN_KEY).items():
        hotpath.client().hset(watch.SEEN_KEY, name, float(at) - seconds)


def test_a_kept_incident_is_shown_once_with_its_row_and_can_be_acknowledged(operator):
    no_worker()
    watch.keep(judged_again())
    row = Incident.objects.get()
    (cause,) = attention.causes(None)
    assert (cause.worst.pk, cause.since, cause.acknowledged_by) == (row.pk, row.since, "")
    assert operator.post(f"/incidents/{row.pk}/acknowledge/").status_code == 302
    (cause,) = attention.causes(None)
    assert (cause.acknowledged_by, cause.to_acknowledge) == ("operate", None)


def test_a_row_that_health_knows_to_be_over_is_not_shown_though_nobody_has_closed_it():
    no_worker()
    watch.keep(judged_again())
    set_running()
    health.forget()
    assert attention.causes(None) == []


def test_the_clocks_incident_keeps_the_type_it_always_had():
    clock_in_doubt()
    watch.keep(judged_again())
    row = Incident.objects.get()
    assert (row.type, row.object) == clock.INCIDENT


def test_web_processes_keep_incidents_and_send_notices_while_no_worker_does():
    NoticeTarget.objects.create(address="ops@example.com")
    watching = watch.Watch()
    watching.round()
    assert not Incident.objects.exists()
    no_worker()
    health.forget()
    watching.round()
    assert Notice.objects.get().state == Notice.State.SENT
    set_running()
    health.forget()
    watching.round()
    assert Incident.objects.get().until is not None


def test_web_processes_leave_the_incidents_to_workers_that_live():
    no_timers()
    health.forget()
    watch.Watch().round()
    assert not Incident.objects.exists()


def test_the_overview_shows_five_causes_and_leads_to_all(operator):
    for n in range(7):
        operations.incidents.open(type=f"t{n}", object="o", severity="warning", title=f"T{n}")
    answer = operator.get("/overview/")
    assert len(answer.context["shown_causes"]) == 5
    assert "Show all 7 problems" in answer.content.decode()
    assert len(operator.get("/incidents/").context["shown_causes"]) == 7


def test_the_page_of_incidents_counts_the_ended_ones_beside_open_ones(operator):
    for n in range(3):
        operations.incidents.open(type=f"t{n}", object="o", severity="warning", title=f"T{n}")
    operations.incidents.close(type="t0", object="o")
    page = operator.get("/incidents/").content.decode()
    assert '<span class="num">1 incident</span>' in page


def test_problems_of_one_cause_are_one_row_and_are_acknowledged_together(operator):
    for n in range(12):
        operations.incidents.open(
            type="numbers.full",
            object=f"p{n}",
            severity="critical" if n == 7 else "warning",
            title=f"Pool p{n} is full",
        )
    (cause,) = attention.causes(None)
    assert cause.title == "Pool p7 is full, and 11 similar"
    assert (len(cause.named), cause.unnamed) == (attention.MOST_NAMED, 3)
    operator.post(f"/incidents/{cause.to_acknowledge}/acknowledge/")
    assert not Incident.objects.filter(acknowledged_at=None).exists()


def test_a_foreign_accounts_incident_of_the_same_type_is_not_acknowledged_along():
    world = make_world()
    for account, name in ((world.own, "own"), (world.other, "other")):
        operations.incidents.open(
            type="numbers.full", object=name, severity="warning", title="Full", account=account
        )
    own = Incident.objects.get(object="own")
    assert world.client("owner").post(f"/incidents/{own.pk}/acknowledge/").status_code == 302
    assert Incident.objects.get(object="other").acknowledged_at is None


def test_every_check_has_its_row_in_the_documents():
    text = (settings.BASE_DIR / "docs/operations/monitoring.md").read_text()
    for name in checks_of_this_release():
        assert re.search(rf"^\| \**`{name}`\** \|", text, re.MULTILINE), name


def checks_of_this_release() -> list[str]:
    return [answer.check.name for answer in health.read().answers]
