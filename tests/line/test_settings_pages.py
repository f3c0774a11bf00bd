"""Setting up a desk in the console: queues, agents, skills, replies, holidays; all audited."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from poolsite import console, hotpath
from poolsite.access import principal_of_user
from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set
from poolsite.console.registry import CARDS
from queueing.line import desk as commands
from queueing.line.models import Agent, Desk, Queue
from queueing.line.search import find
from queueing.line.services import hours
from queueing.line.services.visits import visit_join
from tests.access.world import World, make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
WEEK = {f"day_{day}": "" for day in range(7)}
QUEUE: dict[str, Any] = {
    **WEEK,
    "slug": "billing",
    "name": "Billing",
    "topics": "Invoice\n\n Refund ",
    "position": "0",
    "mode": "offer",
    "is_open": "on",
    "always": "on",
    "ttl_seconds": "15 s",
    "grace_seconds": "60 s",
    "room_grace_seconds": "90 s",
    "agent_grace_seconds": "60 s",
    "offer_seconds": "20 s",
    "decline_seconds": "30 s",
    "misses_limit": "3",
    "wrap_up_seconds": "30 s",
    "max_wait_seconds": "600 s",
    "max_length": "50",
    "no_agent": "form",
    "no_agent_seconds": "120 s",
    "skills_relax_seconds": "30 s",
    "answer_within_seconds": "20 s",
    "service_level_alarm_percent": "80",
    "longest_wait_alarm_seconds": "300 s",
}


@pytest.fixture
def world() -> World:
    return make_world()


def post(client: Client, path: str, **data: Any) -> Any:
    return client.post(f"/desks/{path}", data)


def test_an_empty_installation_is_led_to_a_desk_that_serves(world: World) -> None:
    operator = world.client("operate")
    assert b"Create the first desk" in operator.get("/desks/").content
    assert post(operator, "new/", name="Care", slug="NEW").status_code == 422
    assert post(operator, "new/", name="Care", slug="new").status_code == 422
    made = post(operator, "new/", name="Care", slug="care", account=str(world.own.pk))
    assert made["Location"] == "/desks/care/settings/"
    owner = world.client("owner")
    assert post(owner, "care/queues/new/", **QUEUE)["Location"] == "/desks/care/settings/"
    queue = Queue.objects.get()
    assert (queue.topics, queue.mode, queue.hours) == (["Invoice", "Refund"], "offer", {})
    agent = {"user": str(world.users["agent"].pk), "name": "Li", "capacity": "2", "phone": ""}
    assert post(owner, "care/agents/new/", **agent).status_code == 422  # without a queue
    made = post(owner, "care/agents/new/", **agent, queues=[str(queue.pk)])
    assert made.status_code == 302
    desk = Desk.objects.get()
    assert hotpath.run(commands.login("care", world.users["agent"].pk)).answer == "ok"
    assert visit_join(queue=queue).standing.answer == "offered"
    assert owner.get("/desks/care/settings/").status_code == 200
    done = AuditEntry.objects.filter(account=desk.account, action__startswith="line.")
    names = set(done.values_list("action", flat=True))
    assert names == {"line.desk_create", "line.queue_create", "line.agent_create"}


@pytest.fixture
def line(world: World) -> LineWorld:
    """A desk whose owner is the world's user `foreign`."""
    made = make_line()
    membership_set(user=world.users["foreign"], account=made.account, roles=["owner"], actor="test")
    return made


def test_a_queue_is_changed_with_its_hours_and_only_what_changed_is_told(
    world: World, line: LineWorld
) -> None:
    client = world.client("foreign")
    other = {**QUEUE, "slug": "other", "name": "Other"}
    assert post(client, "support/queues/new/", **other).status_code == 302
    path = "support/queues/support-help/"
    same = {**QUEUE, "name": "Help", "topics": "", "mode": "auto", "wrap_up_seconds": "0 s"}
    same |= {"max_wait_seconds": "0 s", "max_length": "10000", "no_agent": "wait"}
    same |= {"no_agent_seconds": "300 s", "answer_within_seconds": "60 s"}
    assert post(client, path, **same).status_code == 302
    assert not AuditEntry.objects.filter(action="line.queue_configure").exists()
    other_key = Queue.objects.get(slug="other").pk
    changed = {**same, "always": "", "day_0": "9:00-12:00, 13:00-24:00", "max_length": "2"}
    changed.pop("always")
    assert post(client, path, **changed, overflow=str(other_key)).status_code == 302
    queue = Queue.objects.get(slug="support-help")
    assert queue.hours == {"0": [["09:00", "12:00"], ["13:00", "24:00"]]}
    assert (queue.max_length, queue.overflow_id) == (2, other_key)
    entry = AuditEntry.objects.get(action="line.queue_configure")
    assert sorted(entry.after) == ["hours", "max_length", "overflow"]
    assert "9:00-12:00" in client.get(f"/desks/{path}").content.decode()
    for wrong in ({"day_0": "12:00-12:00"}, {"day_0": "noon"}, {"day_0": ""}, {"max_length": "0"}):
        assert post(client, path, **{**changed, **wrong}).status_code == 422, wrong
    assert post(client, path, **changed, overflow=str(queue.pk)).status_code == 422
    assert AuditEntry.objects.filter(action="line.queue_configure").count() == 1


def test_skills_replies_and_holidays_come_and_go(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    act = "support/settings/act/"
    post(client, act, verb="skill", **{"skill-slug": "german", "skill-name": "German"})
    agent = line.agent("li")
    form = {"name": "Li", "capacity": "1", "phone": "", "queues": [str(line.queue.pk)]}
    path = f"support/agents/{agent.user_id}/"
    assert post(client, path, **form, skill_german="10").status_code == 422
    assert post(client, path, **form, skill_german="3").status_code == 302
    assert Agent.objects.get().skills == {"german": 3}
    post(client, act, verb="skill_delete", id=str(line.desk.skills.get().pk))
    assert Agent.objects.get().skills == {}
    for text in ("Hi", "Hello"):
        post(client, act, verb="reply", **{"reply-shortcut": "hi", "reply-text": text})
    reply = line.desk.canned_replies.get()
    assert reply.text == "Hello"
    post(client, act, verb="reply_delete", id=str(reply.pk))
    assert not line.desk.canned_replies.exists()
    today = timezone.localdate()
    day = {"closure-queue": str(line.queue.pk), "closure-day": today.isoformat()}
    post(client, act, verb="closure", **day, **{"closure-hours": "", "closure-text": "Holiday"})
    queue = Queue.objects.select_related("desk__account").get(pk=line.queue.pk)
    closure = queue.closures.get()
    assert hours.spans_of(queue, closure.day) == []
    post(client, act, verb="closure_delete", id=str(closure.pk))
    assert hours.spans_of(queue, closure.day) is None
    log = AuditEntry.objects.filter(action__startswith="line.")
    done = set(log.values_list("action", flat=True))
    for verb in ("skill_create", "skill_delete", "reply_save", "reply_delete", "closure_save"):
        assert f"line.{verb}" in done
    told = client.post(f"/desks/{act}", {"verb": "nothing"}, follow=True)
    assert b"Action not found" in told.content


def test_two_people_who_change_an_agents_queues_at_once_both_learn_of_it(
    world: World, line: LineWorld
) -> None:
    agent = line.agent("li")
    old = [str(pk) for pk in agent.queues.values_list("pk", flat=True)]
    other = Queue.objects.create(desk=agent.desk, slug="other", name="Other")
    third = Queue.objects.create(desk=agent.desk, slug="third", name="Third")
    agent.queues.set([other])
    client, path = world.client("foreign"), f"support/agents/{agent.user_id}/"
    mine = {"name": agent.name, "capacity": str(agent.capacity), "phone": agent.phone}
    given = {**mine, "queues": [str(third.pk)], "initial-queues": old}
    told = post(client, path, **given)
    assert told.status_code == 422
    assert "Someone changed this to “Other” after you opened the page" in told.content.decode()
    shown = told.context["form"].data.getlist("initial-queues")
    assert shown == [str(other.pk)]
    assert post(client, path, **given | {"initial-queues": shown}).status_code == 302
    assert list(agent.queues.all()) == [third]


def test_an_agent_is_archived_when_offline_and_comes_back(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    agent = line.agent("li", online=True)
    act, who = "support/settings/act/", {"id": str(agent.user_id)}
    told = client.post(f"/desks/{act}", {"verb": "archive", **who}, follow=True)
    assert b"Log the agent out first" in told.content
    assert Agent.objects.get().archived_at is None
    hotpath.run(commands.log_out_now("support", agent.user_id, "test"))
    post(client, act, verb="archive", **who)
    assert Agent.objects.get().archived_at is not None
    assert hotpath.run(commands.login("support", agent.user_id)).answer == "gone"
    post(client, act, verb="restore", **who)
    assert hotpath.run(commands.login("support", agent.user_id)).answer == "ok"


def test_the_desks_own_settings_are_saved_and_refused(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    given = {"name": "Care", "transcript_days": "30 d", "callback_pool": "", "log_limit": "5000"}
    given |= {"attachment_mb": "10", "attachment_kinds": "all"}
    given |= {"attachments_per_visit": "20", "attachment_day_mb": "2000"}
    assert post(client, "support/settings/", **given).status_code == 302
    desk = Desk.objects.get()
    assert (desk.name, desk.transcript_days, desk.log_limit) == ("Care", 30, 5000)
    assert (
        post(client, "support/settings/", **{**given, "transcript_days": "0 d"}).status_code == 422
    )
    entry = AuditEntry.objects.get(action="line.desk_configure")
    assert entry.before["transcript_days"] == 396


def test_an_address_is_blocked_and_let_in(world: World, line: LineWorld) -> None:
    client = world.client("foreign")
    membership_set(
        user=world.users["foreign"], account=line.account, roles=["owner", "admin"], actor="test"
    )
    visit = visit_join(queue=line.queue, address="10.0.0.9").visit
    act = "support/visitors/act/"
    post(client, act, verb="block", visit=visit.public_id, reason="", days="7")
    assert not line.desk.blocked_visitors.exists()
    post(client, act, verb="block", visit=visit.public_id, reason="spam", days="7")
    row = line.desk.blocked_visitors.get()
    assert row.key == "10.0.0.9"
    assert row.until is not None
    assert timedelta(days=6) < row.until - timezone.now() <= timedelta(days=7)
    assert b"10.0.0.9" in client.get("/desks/support/visitors/").content
    post(client, act, verb="unblock", id=str(row.pk))
    assert not line.desk.blocked_visitors.exists()


def test_the_search_finds_desks_queues_and_visitors_of_the_own_tenant(
    world: World, line: LineWorld
) -> None:
    visit = past_visit(line.queue, timezone.now(), name="Ann Li", contact="ann@example.org")
    mine = principal_of_user(world.users["foreign"])
    other = principal_of_user(world.users["owner"])
    url = f"/desks/support/visits/{visit.public_id}/"
    for text in (visit.public_id, visit.public_id[:8], "Ann Li", "ann@example.org"):
        found = list(find(mine, text, 5))
        assert [each.url for each in found] == [url], text
        assert list(find(other, text, 5)) == []
    assert [each.kind for each in find(mine, "support", 5)] == ["Desk", "Queue"]
    assert world.client("foreign").get(url).status_code == 200


def test_the_overview_shows_the_desk_that_waits_longest(world: World, line: LineWorld) -> None:
    visit_join(queue=line.queue)
    card = CARDS["line.desks"].load(principal_of_user(world.users["looker"]))
    assert isinstance(card, console.CardData)
    assert (card.rows[0]["name"], card.rows[0]["cells"][0]["text"]) == ("Support", "1")
    empty = CARDS["line.desks"].load(principal_of_user(world.users["owner"]))
    assert empty.empty


def test_metrics_name_queues_and_no_people(line: LineWorld) -> None:
    from queueing.line.overview import collect

    visit_join(queue=line.queue, name="Ann")
    samples = [sample for metric in collect() for sample in metric.samples]
    waiting = [s.value for s in samples if s.labels.get("what") == "waiting"]
    assert waiting == [1]
    assert all("Ann" not in str(sample.labels) for sample in samples)


@pytest.mark.parametrize(
    "name",
    [
        "desk",
        "queue",
        "agent",
        "skill",
        "cannedreply",
        "visit",
        "leftmessage",
        "messagecall",
        "agentshift",
        "lineevent",
    ],
)
def test_each_list_of_the_admin_opens_for_an_operator(
    world: World, line: LineWorld, name: str
) -> None:
    line.agent("li", online=True)
    line.drain()
    past_visit(line.queue, timezone.now())
    assert world.client("looker").get(f"/admin/line/{name}/").status_code == 200


def test_the_admin_changes_an_agent_through_the_service(world: World, line: LineWorld) -> None:
    agent = line.agent("li")
    page = f"/admin/line/agent/{agent.pk}/change/"
    form = {"name": "Li Jun", "capacity": "3", "queues": [line.queue.pk], "skills": "{}"}
    assert world.client("looker").post(page, form).status_code == 403
    assert world.client("operate").post(page, form).status_code == 302
    assert Agent.objects.get().capacity == 3
    entry = AuditEntry.objects.get(action="line.agent_configure")
    assert entry.after["capacity"] == 3
