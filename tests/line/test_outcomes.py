"""Outcomes: a desk's list, an agent's choice after a room, a supervisor's later, in the reports."""

import csv
from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from poolsite.access.models import AuditEntry, User
from poolsite.access.services import membership_set
from queueing.line.errors import LineError
from queueing.line.models import AgentShift, Message, OutcomeCode, Visit
from queueing.line.selectors.report_span import span_of
from queueing.line.selectors.reports import DeskReport
from queueing.line.services import outcomes, rooms, visits
from tests.access.world import make_world
from tests.line.line_world import LineWorld, make_line
from tests.line.past import past_shift, past_visit, today
from tests.line.test_api import acts, agent_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


@pytest.fixture
def line() -> LineWorld:
    return make_line(wrap_up_seconds=60)


def code(line: LineWorld, name: str = "Solved", tone: str = "good") -> OutcomeCode:
    return outcomes.outcome_add(actor="test", desk=line.desk, name=name, tone=tone)


def visit_of(line: LineWorld, name: str) -> Visit:
    """Return a new visit that is completely in SQL."""
    made = visits.visit_join(queue=line.queue, name=name).visit
    line.drain()
    return Visit.objects.select_related("desk", "agent").get(pk=made.pk)


def boss_of(line: LineWorld, role: str) -> Client:
    boss: User = make_world().users["roleless"]
    membership_set(user=boss, account=line.account, roles=[role], actor="test")
    client = Client()
    client.force_login(boss)
    return client


# -- a desk's list -------------------------------------------------------------------------------


def test_the_list_has_an_order_and_twelve_at_most(line: LineWorld) -> None:
    for number in range(12):
        code(line, f"Outcome {number}")
    with pytest.raises(ValidationError, match="up to 12 outcomes"):
        code(line, "One more")
    with pytest.raises(ValidationError):
        code(line, "")
    third = line.desk.outcome_codes.get(name="Outcome 2")
    outcomes.outcome_move_up(actor="test", code=third)
    outcomes.outcome_move_up(actor="test", code=third)
    outcomes.outcome_move_up(actor="test", code=third)
    names = list(line.desk.outcome_codes.values_list("name", flat=True))
    assert names[:4] == ["Outcome 2", "Outcome 0", "Outcome 1", "Outcome 3"]


def test_one_in_use_is_archived_and_comes_back_one_that_is_not_is_gone(line: LineWorld) -> None:
    used, unused = code(line), code(line, "Passed on", "plain")
    agent = line.agent("li")
    past = past_visit(line.queue, timezone.now() - timedelta(hours=1), agent=agent)
    Visit.objects.filter(pk=past.pk).update(outcome_code=used)
    for each in (used, unused):
        outcomes.outcome_remove(actor="test", code=each)
    assert list(line.desk.outcome_codes.values_list("name", flat=True)) == ["Solved"]
    with pytest.raises(LineError):
        outcomes.outcome_of_id(visit_of(line, "Ann"), used.pk)
    back = code(line, "Solved", "open")
    assert (back.pk, back.archived_at, back.tone) == (used.pk, None, "open")
    with pytest.raises(ValidationError):
        code(line, "Solved")


def test_the_settings_page_makes_orders_and_removes_them(line: LineWorld) -> None:
    client = boss_of(line, "owner")
    act, page = "/desks/support/settings/act/", "/desks/support/settings/"
    assert "Add these four" in client.get(page).content.decode()
    client.post(act, {"verb": "outcomes_usual"})
    client.post(act, {"verb": "outcome", "outcome-name": "Spam <i>", "outcome-tone": "plain"})
    shown = client.get(page).content.decode()
    assert "Spam &lt;i&gt;" in shown
    assert "Add these four" not in shown
    first, second, *_ = line.desk.outcome_codes.all()
    client.post(act, {"verb": "outcome_up", "id": second.pk})
    assert line.desk.outcome_codes.first() == second
    client.post(act, {"verb": "outcome_remove", "id": first.pk})
    assert line.desk.outcome_codes.count() == 4
    for wrong in ("x", "", "999999", "9" * 30):
        client.post(act, {"verb": "outcome_remove", "id": wrong})
    client.post(act, {"verb": "outcome", "outcome-name": "Odd", "outcome-tone": "loud"})
    assert line.desk.outcome_codes.count() == 4
    form = {"name": "Support", "transcript_days": "30 d", "log_limit": 1_000_000}
    form |= {"attachment_mb": 10, "attachment_kinds": "all"}
    form |= {"attachments_per_visit": 20, "attachment_day_mb": 2_000}
    client.post(page, {**form, "outcome_required": "on"})
    line.desk.refresh_from_db()
    assert line.desk.outcome_required
    actions = AuditEntry.objects.filter(action__startswith="line.outcome_")
    assert set(actions.values_list("action", flat=True)) == {
        *("line.outcome_add", "line.outcome_move", "line.outcome_remove"),
    }
    told = client.get("/history/")
    assert told.status_code in (200, 403)


# -- a visit's -----------------------------------------------------------------------------------


def test_an_agent_chooses_in_the_wrap_up_with_a_note_and_again_is_the_same(
    line: LineWorld,
) -> None:
    solved, later = code(line), code(line, "Needs follow-up", "open")
    agent = agent_of(line, "li", online=True)
    ann = visits.visit_join(queue=line.queue, name="Ann").visit.public_id
    given = {"visit": ann, "outcome": solved.pk, "note": "Check in December.", "id": "n1"}
    assert acts(agent, "outcome", **given).json() == {"visit": ann, "outcome": solved.pk}
    acts(agent, "finish", visit=ann)
    at = Visit.objects.get(public_id=ann).outcome_at
    for _ in range(2):  # SQL does not have the room yet
        assert acts(agent, "outcome", **given).status_code == 200
    row = Visit.objects.get(public_id=ann)
    assert (row.outcome_code, row.outcome_at, row.outcome_by) == (solved, at, "li")
    line.drain()
    row.refresh_from_db()
    assert (row.outcome_code, row.ended_at is None) == (solved, False)  # the drain keeps it
    assert Message.objects.filter(visit=row, author="note").count() == 1
    assert acts(agent, "outcome", visit=ann, outcome=later.pk).json()["outcome"] == later.pk
    assert acts(agent, "outcome", visit=ann, outcome=None).json()["outcome"] is None
    assert not AuditEntry.objects.filter(action="line.visit_outcome").exists()


def test_nobody_else_chooses_and_nothing_of_another_desk(line: LineWorld) -> None:
    solved = code(line)
    other = make_line("other")
    foreign = code(other)
    li, wu = agent_of(line, "li", online=True), agent_of(line, "wu")
    ann = visit_of(line, "Ann")
    body = {"visit": ann.public_id, "outcome": solved.pk}
    assert acts(wu, "outcome", **body).status_code == 409
    assert acts(li, "outcome", **{**body, "outcome": foreign.pk}).status_code == 404
    assert acts(li, "outcome", **{**body, "outcome": 0}).status_code == 422
    assert acts(agent_of(other, "far"), "outcome", **body).status_code == 404
    acts(wu, "login")
    acts(li, "transfer", visit=ann.public_id, agent=User.objects.get(username="wu").pk)
    assert acts(li, "outcome", **body).status_code == 409  # the last room counts
    assert acts(wu, "outcome", **body).status_code == 200
    rooms.visit_transfer(actor="test", visit=ann, queue=line.queue)
    assert Visit.objects.get(pk=ann.pk).outcome_code == solved


def test_after_a_week_only_a_supervisor_changes_it_and_that_is_audited(line: LineWorld) -> None:
    solved = code(line)
    agent = line.agent("li")
    old = past_visit(line.queue, timezone.now() - timedelta(days=7, hours=1), agent=agent)
    new = past_visit(line.queue, timezone.now() - timedelta(days=6, hours=23), agent=agent)
    outcomes.visit_outcome(actor="li", visit=new, code=solved, agent=agent)
    with pytest.raises(LineError) as refused:
        outcomes.visit_outcome(actor="li", visit=old, code=solved, agent=agent)
    assert refused.value.kind == "outcome-closed"
    client = boss_of(line, "supervisor")
    url = f"/desks/support/visits/{old.public_id}/"
    sent = {"verb": "outcome", "visit": old.public_id, "outcome": solved.pk}
    for _ in range(2):
        assert client.post("/desks/support/visitors/act/", sent)["Location"] == url
    assert AuditEntry.objects.filter(action="line.visit_outcome").count() == 1
    page = client.get(url).content.decode()
    assert "Outcome: Solved." in page
    assert "By roleless" in page
    client.post("/desks/support/visitors/act/", {**sent, "outcome": ""})
    old.refresh_from_db()
    assert old.outcome_code is None


# -- reports -------------------------------------------------------------------------------------


def test_the_report_counts_outcomes_and_an_agents_missed_offers(line: LineWorld) -> None:
    now, earlier = timezone.now(), today(line)
    solved, passed = code(line), code(line, "Passed on", "plain")
    code(line, "Never used")
    li, wu = line.agent("li"), line.agent("wu")
    for agent, chosen in ((li, solved), (li, solved), (wu, solved), (wu, passed), (li, None)):
        made = past_visit(line.queue, earlier, agent=agent)
        Visit.objects.filter(pk=made.pk).update(outcome_code=chosen)
    past_visit(line.queue, earlier)
    for days, missed in ((0, 3), (0, 2), (400, 7)):
        shift = past_shift(li, now - timedelta(days=days, minutes=1), now)
        AgentShift.objects.filter(pk=shift.pk).update(missed=missed)
    report = DeskReport(line.desk, span_of(line.desk, None, None, now), now=now)
    rows = {row.name: row for row in report.rows("agent")}
    assert rows["Li"].outcomes == {"Solved": 2}
    assert rows["Wu"].outcomes == {"Solved": 1, "Passed on": 1}
    assert (rows["Li"].missed, rows["Wu"].missed) == (5, 0)
    assert (report.total().outcomes, report.total().missed) == ({"Solved": 3, "Passed on": 1}, None)
    assert [row.outcomes for row in report.rows("queue")] == [{"Solved": 3, "Passed on": 1}]
    client = boss_of(line, "supervisor")
    since = (now - timedelta(days=2)).date().isoformat()
    answer: Any = client.get(f"/desks/support/reports/csv/?by=agent&from={since}")
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    told = {row["name"]: row for row in csv.DictReader(text.splitlines())}
    assert (told["Li"]["missed offers"], told["Li"]["outcome Solved"]) == ("5", "2")
    assert (told["Wu"]["outcome Passed on"], told["Wu"]["outcome Never used"]) == ("1", "0")
    page = client.get(f"/desks/support/reports/?by=agent&from={since}").content.decode()
    assert "No outcome" in page
    assert "Missed" in page
    data = client.get(f"/api/v1/desks/support/report?by=agent&from={since}").json()
    assert {row["name"]: row["missed"] for row in data["rows"]} == {"Li": 5, "Wu": 0}
    assert data["total"]["outcomes"] == {"Solved": 3, "Passed on": 1}


# -- more time -----------------------------------------------------------------------------------


def test_more_time_is_given_once_for_each_end_that_was_seen(line: LineWorld) -> None:
    agent = agent_of(line, "li", online=True)
    ann = visits.visit_join(queue=line.queue, name="Ann").visit.public_id
    (wrap,) = acts(agent, "finish", visit=ann).json()["slots"]
    end = wrap["until_ms"]
    for _ in range(2):
        (slot,) = acts(agent, "more-time", until_ms=end).json()["slots"]
        assert slot["until_ms"] == end + 30_000
    for step in range(1, 5):
        acts(agent, "more-time", until_ms=end + step * 30_000)
    refused = acts(agent, "more-time", until_ms=end + 150_000)
    assert (refused.status_code, refused.json()["type"]) == (409, "wrap-up-limit")
    over = acts(agent, "more-time", until_ms=1)
    assert (over.status_code, over.json()["type"]) == (409, "wrap-up-over")
    for wrong in (-1, 10**15, "soon"):
        assert acts(agent, "more-time", until_ms=wrong).status_code == 422
    line.drain()
    acts(agent, "ready")
    line.drain()
    assert AgentShift.objects.get().wrap_ups == []
