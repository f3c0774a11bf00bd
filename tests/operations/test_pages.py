"""The pages, the search and the topics: what each user gets, and what another tenant's does not."""

import asyncio
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.translation import override

from poolsite import console, hotpath, live, operations
from poolsite.access import ANONYMOUS, principal_of_user, services
from poolsite.access.models import AuditEntry
from poolsite.jobs import services as job_services
from poolsite.jobs import sweeping
from poolsite.jobs.models import Job
from poolsite.operations import selectors, topics
from poolsite.operations.models import Incident
from tests.access.world import World, make_world
from tests.operations.marks import set_running
from tests.operations.probing import topic_data
from tests.support.waiting import patient


@pytest.fixture
def world(db) -> World:
    return make_world()


def open_for(account, name="own"):
    return operations.incidents.open(
        type="numbers.blocking",
        object=name,
        severity="warning",
        title=f"Blocking in {name}",
        account=account,
    )


def principal(world, reader):
    return principal_of_user(world.users[reader])


def test_an_owner_sees_the_own_accounts_incidents_and_an_operator_all(world):
    open_for(world.own)
    open_for(world.other, "other")
    open_for(None, "platform")

    def objects(reader):
        return {row.object for row in selectors.open_incidents(principal(world, reader))}

    assert objects("owner") == {"own"}
    assert objects("foreign") == {"other"}
    assert objects("operate") == {"own", "other", "platform"}
    assert objects("agent") == set()


def test_the_overview_shows_what_is_wrong_and_a_card_that_fails_hides_only_itself(world):
    open_for(world.own)

    def broken(_principal):
        raise RuntimeError("no figures")

    console.register_card(console.Card("broken", "Broken part", broken))
    answer = world.client("operate").get("/overview/")
    assert answer.status_code == 200
    text = answer.content.decode()
    assert "Blocking in own" in text
    assert "Broken part" not in text
    assert answer.context["warnings"] == 1
    assert "system" in {card.name for card, _ in answer.context["cards"]}


def test_the_system_page_shows_every_sweep_and_stays_up_while_redis_is_away(world):
    from poolsite.operations import tasks  # noqa: F401  registers the sweeps

    sweeping.run_shard("operations.retention", 0)
    client = world.client("operate")
    rows = {row.name: row for row in client.get("/system/").context["sweeps"]}
    assert not rows["operations.retention"].late
    assert rows["operations.notices"].late
    with hotpath.connect("redis://127.0.0.1:1/0"):
        answer = client.get("/system/")
    assert answer.status_code == 200
    assert answer.context["redis"] is None
    assert answer.context["jobs"] == []


def test_incidents_are_acknowledged_by_name_and_a_second_click_changes_nothing(world):
    incident = open_for(world.own)
    client = world.client("operate")
    address = f"/incidents/{incident.pk}/acknowledge/"
    answer = client.post(address, headers={"Accept": "application/json"})
    assert answer.json() == {"acknowledged_by": "operate", "yours": True}
    assert client.post(address).status_code == 302
    assert world.client("foreign").post(address).status_code == 404
    assert world.client("looker").post(address).status_code == 403
    assert AuditEntry.objects.filter(action="operations.acknowledge").count() == 1


def test_ended_incidents_are_paged_by_key(world, monkeypatch):
    from poolsite.console import tables

    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    for n in range(5):
        open_for(None, f"n{n}")
        operations.incidents.close(type="numbers.blocking", object=f"n{n}")
    client = world.client("operate")
    seen, address = [], "?"
    while address:
        context = client.get(f"/incidents/{address}").context
        assert len(context["rows"]) <= 2
        seen += [row.object for row in context["rows"]]
        address = context["next_url"]
    assert seen == ["n4", "n3", "n2", "n1", "n0"]
    assert client.get("/incidents/?before=nonsense").status_code == 200


def test_only_an_operator_with_the_grant_confirms_the_clock(world):
    sweeping.pause("clock step")
    assert world.client("looker").post("/system/confirm-clock/").status_code == 403
    assert sweeping.paused_reason()
    assert world.client("operate").post("/system/confirm-clock/").status_code == 302
    assert not sweeping.paused_reason()


def start_job(world, reader="owner"):
    return Job.objects.create(
        kind="test.none", prefix="tst", account=world.own, actor=world.users[reader], total=10
    )


def test_a_job_is_seen_by_its_starter_the_managers_and_operators_only(world):
    job = start_job(world, "agent")
    address = f"/jobs/{job.pk}/"
    answers = {
        reader: world.client(reader)
        .get(address, headers={"Accept": "application/json"})
        .status_code
        for reader in ("agent", "owner", "looker", "foreign", "supervisor")
    }
    assert answers == {
        "agent": 200,
        "owner": 200,
        "looker": 200,
        "foreign": 404,
        "supervisor": 403,
    }
    assert world.client("owner").get("/jobs/999999/").status_code == 404
    page = world.client("agent").get(address)
    assert f"tst-{job.pk:04d}" in page.content.decode()


def test_a_job_is_called_by_what_it_does_and_says_who_started_it_and_how_long_it_took(world):
    job = start_job(world)
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(
        kind="numbers.import", state="done", started_at=now, finished_at=now + timedelta(minutes=3)
    )
    page = world.client("owner").get(f"/jobs/{job.pk}/").content.decode()
    assert "Importing numbers</h1>" in page
    assert "took 3 min" in page
    row = world.client("operate").get("/system/").content.decode()
    assert f'<a href="/jobs/{job.pk}/">Importing numbers</a>' in row


def test_a_job_is_cancelled_over_http_by_who_may(world):
    job = start_job(world)
    address = f"/jobs/{job.pk}/cancel/"
    assert world.client("looker").post(address).status_code == 403
    assert world.client("foreign").post(address).status_code == 404
    answer = world.client("owner").post(address, headers={"Accept": "application/json"})
    assert answer.json()["state"] == "cancelled"
    assert answer.json()["ended"] is True


# -- topics -----------------------------------------------------------------------------------


def decision(address, who):
    topic = live.resolve(address)
    assert topic is not None
    return asyncio.run(topic.allowed(who)).word


@pytest.mark.django_db(transaction=True)
def test_the_incidents_topic_shows_one_accounts_or_all(clean_redis):
    world = make_world()
    set_running()
    own = open_for(world.own)
    open_for(None, "platform")
    (cause,) = topic_data("operations.incidents:all")["causes"]
    assert (cause["title"], cause["count"]) == ("Blocking in own, and 1 similar", 2)
    assert "Blocking in platform" in cause["html"]
    one = topic_data(f"operations.incidents:{world.own.pk}")
    assert [cause["title"] for cause in one["causes"]] == ["Blocking in own"]
    assert f"/incidents/{own.pk}/acknowledge/" in one["causes"][0]["html"]
    assert (one["critical"], one["warnings"]) == (0, 1)
    assert decision("operations.incidents:all", principal(world, "looker")) == "allow"
    assert decision("operations.incidents:all", principal(world, "owner")) == "forbidden"
    assert decision(f"operations.incidents:{world.own.pk}", principal(world, "owner")) == "allow"
    foreign = decision(f"operations.incidents:{world.own.pk}", principal(world, "foreign"))
    assert foreign == "hidden"
    assert decision("operations.incidents:all", ANONYMOUS) == "login"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_page_with_several_accounts_is_not_redrawn_as_that_of_one(world, language):
    client = world.client("owner")
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language

    def addresses():
        context = client.get("/overview/").context
        return [str(context[name]) for name in ("incidents_topic", "overview_topic")]

    assert all(f":{world.own.pk}" in topic for topic in addresses())
    services.membership_set(
        user=world.users["owner"], account=world.other, roles=["owner"], actor="test"
    )
    open_for(world.other, "other")
    assert addresses() == ["", ""]
    assert "Blocking in other" in client.get("/incidents/").content.decode()


async def read_twice(address):
    topic = live.resolve(address)
    first = await topic.snapshot()
    return first.version, await topic.changes(first.version)


@pytest.mark.parametrize("address", ["operations.webhooks:all", "operations.system:all"])
def test_a_ticking_topic_changes_with_time_only(monkeypatch, address):
    """A version that every read changes would have it read, and its pages reloaded, endlessly."""
    monkeypatch.setattr(topics, "time", SimpleNamespace(monotonic=lambda: 100.5))
    version, changes = asyncio.run(read_twice(address))
    assert (changes.version, changes.data) == (version, None)
    assert live.resolve(address).due_seconds() == 1.5


@pytest.mark.parametrize(
    "address",
    [
        "operations.incidents:",
        "operations.incidents:all.xx",
        "operations.incidents:-1",
        "operations.incidents:١",
        "jobs.job:abc",
        "jobs.job:" + "9" * 30,
        "jobs.job:1.xx",
    ],
)
def test_a_topic_address_that_makes_no_sense_is_no_topic(address):
    assert live.resolve(address) is None


@pytest.mark.django_db(transaction=True)
def test_opening_and_closing_an_incident_wakes_its_topics(clean_redis):
    world = make_world()
    channels = live.resolve(f"operations.incidents:{world.own.pk}.zh-hans").wake_channels()
    channels += live.resolve("operations.incidents:all").wake_channels()
    pubsub = hotpath.client().pubsub(ignore_subscribe_messages=True)
    pubsub.subscribe(*channels)
    pubsub.get_message(timeout=patient(5))
    open_for(world.own)
    operations.incidents.close(type="numbers.blocking", object="own")
    hotpath.client().publish(channels[0], "no more")
    heard = []
    while (message := pubsub.get_message(timeout=patient(5)) or {}).get("data") != "no more":
        if message:  # None: another channel's subscription
            heard.append(message["channel"])
    pubsub.close()
    assert sorted(heard) == sorted(channels * 2)


@pytest.mark.django_db(transaction=True)
def test_a_jobs_topic_shows_its_progress_to_who_may_see_it(clean_redis):
    world = make_world()
    job = start_job(world)
    address = f"jobs.job:{job.pk}"
    before = topic_data(address)
    assert (before["state"], before["done"], before["total"]) == ("queued", 0, 10)
    job_services.save_progress(job, done=4, message="Four rows")
    assert topic_data(address)["done"] == 4
    with override("en"):
        assert topic_data(f"{address}.zh-hans")["state"] == "queued"
    assert decision(address, principal(world, "owner")) == "allow"
    assert decision(address, principal(world, "foreign")) == "hidden"
    assert decision("jobs.job:999999", principal(world, "owner")) == "hidden"


def test_an_incident_is_not_found_by_a_foreign_tenant(world):
    incident = open_for(world.own)
    assert Incident.objects.filter(pk=incident.pk).exists()
    answer = world.client("foreign").post(f"/incidents/{incident.pk}/acknowledge/")
    missing = world.client("foreign").post("/incidents/999999/acknowledge/")
    assert (answer.status_code, missing.status_code) == (404, 404)
