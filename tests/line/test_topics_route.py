"""A visitor's topic and language lead to a queue, to skills and a class; set up on a page."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone, translation

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set
from queueing.line import desk as commands
from queueing.line import laws
from queueing.line.models import Queue, Skill, Topic, Visit
from queueing.line.services import desk_settings, desks, routing
from queueing.line.services.desks import queue_create
from tests.access.world import make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import Caller

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


@pytest.fixture
def billing(line: LineWorld) -> Queue:
    """A second queue. The first one offers two topics, one of which leads to it."""
    queue = queue_create(actor="test", desk=line.desk, slug="bills", name="Billing")
    for slug in ("invoices", "mandarin"):
        desk_settings.skill_create(actor="test", desk=line.desk, slug=slug, name=slug.title())
    invoice = Topic(text="Invoice", texts={"zh-hans": "发票"}, target=queue, priority=3)
    invoice.skills = {"invoices": 2}
    routing.topics_save(actor="test", queue=line.queue, topics=[invoice, Topic(text="Other")])
    line.queue.refresh_from_db()
    return queue


def join(line: LineWorld, status: int = 200, **body: Any) -> Any:
    answer = Caller().post(f"queues/{line.queue.slug}/join", **body)
    assert answer.status_code == status, answer.content
    return answer.json()


def test_a_topic_leads_to_its_queue_with_its_skills_and_class(
    line: LineWorld, billing: Queue
) -> None:
    key = Topic.objects.get(text="Invoice").pk
    for said in ("Invoice", "发票", str(key)):
        found = join(line, name="Ann", topic=said)
        assert (found["queue"], found["queue_name"], found["priority"]) == ("bills", "Billing", 3)
        row = Visit.objects.get(public_id=found["visit"])
        assert (row.topic, row.skills) == ("Invoice", {"invoices": 2})
    for said, kept in (("Other", "Other"), ("My dog ate it", "My dog ate it"), ("", "")):
        plain = join(line, name="Bo", topic=said)
        assert (plain["queue"], plain["priority"]) == ("support-help", 5)
        row = Visit.objects.get(public_id=plain["visit"])
        assert (row.topic, row.skills) == (kept, {})
    # a visitor can choose neither class nor skills
    sly = join(line, name="Sly", priority=1, skills={"mandarin": 1})
    assert (sly["priority"], Visit.objects.get(public_id=sly["visit"]).skills) == (5, {})


def test_only_who_has_the_skill_serves_and_nobody_is_overtaken(
    line: LineWorld, billing: Queue
) -> None:
    visits = [join(line, name=name, topic="Invoice")["visit"] for name in ("Ann", "Bo")]
    novice = line.agent("novice", billing, online=True)
    state = hotpath.run(commands.agent_state(line.desk.slug, novice.user_id))
    assert state.slots == ()
    able = line.agent("able", billing, skills={"invoices": 2}, online=True)
    state = hotpath.run(commands.agent_state(line.desk.slug, able.user_id))
    assert [slot.visit for slot in state.slots] == visits[:1]
    assert laws.check(line.desk.slug) == []


def test_a_language_asks_for_its_skill_beside_the_topics(line: LineWorld, billing: Queue) -> None:
    mandarin = Skill.objects.get(slug="mandarin")
    given = {"zh-hans": (mandarin, 2)}
    routing.languages_save(actor="test", desk=line.desk, skills=given)
    found = join(line, name="Li", topic="发票", language="zh-Hans")
    row = Visit.objects.get(public_id=found["visit"])
    assert row.skills == {"invoices": 2, "mandarin": 2}
    assert Visit.objects.get(public_id=join(line, language="en")["visit"]).skills == {}
    desk_settings.skill_delete(actor="test", skill=mandarin)
    assert not line.desk.language_skills.exists()
    desk_settings.skill_delete(actor="test", skill=Skill.objects.get(slug="invoices"))
    assert Topic.objects.get(text="Invoice").skills == {}


def test_a_closed_target_is_told_with_its_own_name_and_hours(
    line: LineWorld, billing: Queue
) -> None:
    later = timezone.now() + timedelta(days=3)
    desks.queue_configure(
        actor="test",
        queue=billing,
        hours={str(later.weekday()): [["09:00", "09:01"]]},
        zone="UTC",
        closed_text="Bills rest",
    )
    problem = join(line, 409, name="Ann", topic="Invoice")
    assert (problem["type"], problem["detail"]) == ("queue-closed", "Bills rest")
    assert (problem["queue"], problem["queue_name"], problem["zone"]) == ("bills", "Billing", "UTC")
    assert problem["opens_at"] is not None
    assert not Visit.objects.exists()
    assert join(line, name="Ann", topic="Other")["queue"] == "support-help"


def test_a_full_target_refuses_and_names_itself(line: LineWorld, billing: Queue) -> None:
    desks.queue_configure(actor="test", queue=billing, max_length=1)
    join(line, topic="Invoice")
    problem = join(line, 409, topic="Invoice")
    assert (problem["type"], problem["queue"]) == ("queue-full", "bills")


def test_an_archived_topic_is_plain_text_and_comes_back_with_its_id(
    line: LineWorld, billing: Queue
) -> None:
    key = Topic.objects.get(text="Invoice").pk
    routing.topics_save(actor="test", queue=line.queue, topics=[Topic(text="Other")])
    assert join(line, topic="Invoice")["queue"] == "support-help"
    assert Client().get("/api/v1/queues/support-help").json()["topics"] == ["Other"]
    back = [Topic(text="Other"), Topic(text="Invoice", target=billing)]
    routing.topics_save(actor="test", queue=line.queue, topics=back)
    assert Topic.objects.get(text="Invoice").pk == key
    assert join(line, topic="Invoice")["queue"] == "bills"


def test_what_the_release_before_writes_is_offered_as_plain_topics(
    line: LineWorld, billing: Queue
) -> None:
    Queue.objects.filter(pk=line.queue.pk).update(topics=["Delivery", "Invoice"])
    choices = Client().get("/api/v1/queues/support-help").json()["topic_choices"]
    assert [(each["text"], each["id"] is None) for each in choices] == [
        ("Delivery", True),
        ("Invoice", False),
    ]
    assert join(line, topic="Delivery")["queue"] == "support-help"
    assert join(line, topic="Invoice")["queue"] == "bills"


def test_topics_are_offered_in_the_readers_language(line: LineWorld, billing: Queue) -> None:
    chinese = {"Accept-Language": "zh-Hans"}
    answer = Client().get("/api/v1/queues/support-help", headers=chinese).json()
    assert [each["label"] for each in answer["topic_choices"]] == ["发票", "Other"]
    page = Client().get("/q/support-help/", headers=chinese).content.decode()
    assert "发票" in page
    assert 'value="Invoice"' in page


def test_more_sets_of_skills_than_a_desk_can_tell_are_refused(line: LineWorld) -> None:
    names = [f"s{number}" for number in range(7)]
    for name in names:
        desk_settings.skill_create(actor="test", desk=line.desk, slug=name, name=name)
    fifty = [
        Topic(text=f"{name} {level} {other}", skills={name: level, "s5": other})
        for name in names[:5]
        for level in (1, 2, 3, 4, 5)
        for other in (1, 2)
    ]
    queues = [
        queue_create(actor="test", desk=line.desk, slug=f"more{number}", name=f"More {number}")
        for number in range(3)
    ]
    for number, queue in enumerate(queues):
        part = fifty[number * 17 : number * 17 + 17]
        routing.topics_save(actor="test", queue=queue, topics=part)
    assert len(routing.skill_sets(line.desk)) == 50
    one = {"en": (Skill.objects.get(slug="s6"), 1)}
    with translation.override("en"), pytest.raises(ValidationError, match="different skill sets"):
        routing.languages_save(actor="test", desk=line.desk, skills=one)
    assert not line.desk.language_skills.exists()


def test_a_visitor_is_served_even_where_no_set_of_skills_is_left(
    line: LineWorld, billing: Queue
) -> None:
    for number in range(99):
        skills = {f"x{number}": 1}
        hotpath.run(commands.join(line.desk.slug, f"visitor{number}", line.queue.pk, skills=skills))
    found = join(line, name="Ann", topic="Invoice")
    assert (found["answer"], found["queue"]) == ("waiting", "bills")
    assert Visit.objects.get(public_id=found["visit"]).skills == {}


# -- the page ------------------------------------------------------------------------------------


@pytest.fixture
def owner(line: LineWorld) -> Client:
    world = make_world()
    membership_set(user=world.users["foreign"], account=line.account, roles=["owner"], actor="test")
    return world.client("foreign")


def table(*rows: dict[str, Any], kept: int) -> dict[str, Any]:
    """Return the topics' table as a browser sends it."""
    out: dict[str, Any] = {"topics-TOTAL_FORMS": len(rows), "topics-INITIAL_FORMS": kept}
    for number, row in enumerate(rows):
        out |= {f"topics-{number}-{name}": str(value) for name, value in row.items()}
    return out


def test_the_table_of_topics_is_saved_and_audited(
    line: LineWorld, billing: Queue, owner: Client
) -> None:
    path = "/desks/support/queues/support-help/topics/"
    page = owner.get(path).content.decode()
    assert "Visitors wait in Billing for an agent with Invoices at level 2 or higher." in page
    rows = {row.text: row for row in Topic.objects.all()}
    one = {"key": rows["Invoice"].pk, "text": "Bill", "text_zh-hans": "账单", "ORDER": 2}
    one |= {"target": billing.pk, "skills": "invoices 3, mandarin", "priority": 2}
    two = {"key": rows["Other"].pk, "text": "Other", "ORDER": 1, "priority": 5}
    new = {"text": "Refund", "target": "", "skills": "", "priority": "", "ORDER": ""}
    given = table(one, two, new, kept=2)
    wrong = given | {"topics-0-skills": "sailing 2"}
    refused = owner.post(path, wrong).content.decode()
    assert "This desk doesn&#x27;t have the skill sailing." in refused
    assert owner.post(path, given | {"topics-0-priority": "10"}).status_code == 422
    assert owner.post(path, given | {"topics-2-text": "Other"}).status_code == 422
    assert owner.post(path, given).status_code == 302
    queue = Queue.objects.get(pk=line.queue.pk)
    assert queue.topics == ["Other", "Bill", "Refund"]
    bill = Topic.objects.get(pk=rows["Invoice"].pk)
    assert (bill.text, bill.texts, bill.priority) == ("Bill", {"zh-hans": "账单"}, 2)
    assert bill.skills == {"invoices": 3, "mandarin": 1}
    assert owner.post(path, table(one | {"DELETE": "on"}, two, kept=2)).status_code == 302
    assert Queue.objects.get(pk=line.queue.pk).topics == ["Other"]
    entries = AuditEntry.objects.filter(action="line.topics_save").order_by("pk")
    assert len(entries) == 3
    assert entries[1].after["topics"][1]["skills"] == {"invoices": 3, "mandarin": 1}


def test_languages_and_days_are_set_on_pages(
    line: LineWorld, billing: Queue, owner: Client
) -> None:
    act = "/desks/support/routing/act/"
    mandarin = Skill.objects.get(slug="mandarin").pk
    given = {"languages-skill_zh-hans": str(mandarin), "languages-level_zh-hans": "3"}
    owner.post(act, {"verb": "languages", **given})
    assert routing.language_skills(line.desk, "zh-hans") == {"mandarin": 3}
    days = {"holidays-days": "2030-01-01 New Year", "holidays-yearly": "on"}
    answer = owner.post(act, {"verb": "holidays", **days}, follow=True)
    assert b"every year" in answer.content
    assert {queue.closures.count() for queue in (line.queue, billing)} == {1}
    bad = owner.post(act, {"verb": "holidays", "holidays-days": "soon"}, follow=True)
    assert "Can&#x27;t read “soon”" in bad.content.decode()
    assert owner.get("/desks/support/routing/").status_code == 200
