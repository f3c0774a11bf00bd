"""`manage.py line`: a desk is set up and run from the command line."""

import io
import json
from pathlib import Path

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command

from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.access.services import membership_set, user_create
from queueing.line import desk as commands
from queueing.line.models import BlockedVisitor, Desk, LeftMessage, Queue, Visit
from queueing.line.services.left_messages import message_leave
from tests.line.line_world import LineWorld, make_line
from tests.line.test_api import joins

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


def says(*words: str) -> str:
    out = io.StringIO()
    call_command("line", *words, stdout=out)
    return out.getvalue()


def test_a_desk_is_created_set_and_shown(line: LineWorld) -> None:
    says("create", "sales", "--account", line.account.slug, "--attachment-mb", "3")
    desk = Desk.objects.get(slug="sales")
    assert (desk.name, desk.account, desk.attachment_mb) == ("sales", line.account, 3)
    assert "sales  open" in says("list")
    told = says("set", "sales", "--transcript-days", "30", "--reason", "Policy")
    assert told == "transcript_days: 396 → 30\n"
    entry = AuditEntry.objects.get(action="line.desk_configure")
    assert (entry.reason, entry.actor_name) == ("Policy", "manage.py line")
    assert "transcript_days         30" in says("settings", "sales")
    for words in (("set", "sales"), ("set", "none", "--name", "x"), ("set", "sales", "--name", "")):
        with pytest.raises(CommandError):
            says(*words)
    says("widget-set", "sales", "--origin", "https://Shop.example", "--side", "left")
    assert "https://shop.example" in says("widget", "sales")


def test_a_queue_its_topics_and_closures(line: LineWorld, tmp_path: Path) -> None:
    hours = ("--hours", "0=09:00-18:00", "--hours", "4=22:00-06:00")
    says("queue-create", "support", "returns", "--overflow", "support-help", *hours)
    queue = Queue.objects.get(slug="returns")
    assert queue.hours["5"] == [["00:00", "06:00"]]
    assert queue.overflow == line.queue
    says("queue-set", "support", "returns", "--always-open", "--mode", "offer")
    queue.refresh_from_db()
    assert (queue.hours, queue.mode) == ({}, "offer")
    assert "returns  open  offer" in says("queues", "support")
    assert "mode                          offer" in says("queue", "support", "returns")
    says("skill-create", "support", "english", "English")
    file = tmp_path / "topics.json"
    topics = [{"text": "Orders", "queue": "returns", "skills": {"english": 2}, "class": 3}]
    file.write_text(json.dumps(topics))
    says("topics-set", "support", "support-help", str(file))
    assert json.loads(says("topics", "support", "support-help")) == topics
    says("closure-set", "support", "2026-12-24", "--hours", "09:00-14:00", "--yearly")
    assert says("closures", "support").count("09:00-14:00  every year") == 2
    says("closure-remove", "support", "returns", "2026-12-24")
    assert "returns" not in says("closures", "support")


def test_agents_by_their_usernames(line: LineWorld) -> None:
    user = user_create(username="li", actor="test")
    membership_set(user=user, account=line.account, roles=["agent"], actor="test")
    with pytest.raises(CommandError, match="at least one queue"):
        says("agent-add", "support", "li")
    says("agent-add", "support", "li", "--queue", "support-help", "--name", "Li")
    says("agent-set", "support", "li", "--capacity", "4", "--reason", "Trained")
    assert line.desk.agents.get().capacity == 4
    assert hotpath.run(commands.login("support", user.pk)).answer == "ok"
    assert "li  free  support-help  Li" in says("agents", "support")
    with pytest.raises(CommandError, match="online"):
        says("agent-archive", "support", "li")
    says("agent-pause", "support", "li", "--reason", "Break")
    assert "li  paused" in says("agents", "support")
    says("agent-logout", "support", "li", "--reason", "End of shift")
    says("agent-archive", "support", "li")
    assert "li  archived" in says("agents", "support")
    says("agent-restore", "support", "li")
    assert "li  offline" in says("agents", "support")


def test_visits_are_listed_read_moved_and_ended(line: LineWorld) -> None:
    says("queue-create", "support", "returns")
    says("outcomes-usual", "support")
    _, joined = joins(line, name="Ann")
    line.drain()
    visit = joined["visit"]
    assert visit in says("visits", "support", "--state", "waiting")
    assert says("visits", "support", "--state", "ended") == ""
    assert "Ann joined Help" in says("visit", "support", visit)
    says("visit-move", "support", visit, "returns")
    queue = Queue.objects.get(slug="returns")
    assert hotpath.run(commands.place("support", visit)).queue == queue.pk
    says("visit-front", "support", visit)
    assert hotpath.run(commands.place("support", visit)).queue == queue.pk
    says("visit-outcome", "support", visit, "Solved")
    row = Visit.objects.get(public_id=visit)
    assert row.outcome_code is not None
    assert row.outcome_code.name == "Solved"
    says("visit-end", "support", visit, "--reason", "Spam")
    line.drain()
    assert f"{visit}" in says("visits", "support", "--state", "ended")
    with pytest.raises(CommandError, match="not found"):
        says("visit", "support", "nothing-here")
    report = json.loads(says("report", "support", "--by", "queue"))
    assert (report["total"]["arrivals"], report["pauses"]) == (1, [])


def test_lists_of_a_desk(line: LineWorld) -> None:
    says("skill-create", "support", "english", "English")
    says("languages-set", "support", "en:english=2")
    assert says("languages", "support") == "en:english=2\n"
    says("skill-delete", "support", "english")
    assert says("skills", "support") + says("languages", "support") == ""
    says("reply-save", "support", "hello", "Hello {visitor}")
    assert says("replies", "support") == "hello  Hello {visitor}\n"
    says("reply-delete", "support", "hello")
    says("outcome-add", "support", "Solved", "--tone", "good")
    says("outcome-add", "support", "Sold")
    assert says("outcome-up", "support", "Sold") == "Sold  plain\nSolved  good\n"
    says("outcome-remove", "support", "Sold")
    assert says("outcomes", "support") == "Solved  good\n"
    secret = says("signing-secret-create", "support").split()[-1]
    told = says("signing-secrets", "support")
    assert secret not in told
    says("signing-secret-revoke", "support", told.split()[0])
    assert says("signing-secrets", "support") == ""
    says("block", "support", "203.0.113.7", "--reason", "Insults")
    assert BlockedVisitor.objects.get().reason == "Insults"
    assert "203.0.113.7" in says("blocked", "support")
    says("unblock", "support", "203.0.113.7")
    assert says("blocked", "support") == ""


def test_left_messages(line: LineWorld) -> None:
    left = message_leave(queue=line.queue, name="A", contact="138", text="x", wants_call=False)
    assert str(left.pk) in says("messages", "support")
    says("message-handled", "support", str(left.pk))
    assert says("messages", "support") == ""
    assert "handled" in says("messages", "support", "--all")
    says("message-reopened", "support", str(left.pk))
    assert LeftMessage.objects.get().handled_at is None
