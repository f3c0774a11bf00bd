"""The care of an incident: owner, snooze, notes, and the timeline of what happened to it."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from poolsite.access.models import AuditEntry
from poolsite.operations import (
    attention,
    incident_story,
    incidents,
    notices,
    selectors,
)
from poolsite.operations.models import Incident, IncidentEvent, Notice, NoticeTarget, OutgoingCall
from poolsite.operations.services import incident_care
from tests.access.world import World, make_world
from tests.operations.marks import set_running
from tests.operations.probing import open_one, topic_data

SOON = timedelta(hours=1)


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def operator(world: World) -> Client:
    return world.client("operate")


def snooze(client: Client, incident: Incident, *, until: str = "1h", reason: str = "Known"):
    data = {"until": until, "reason": reason}
    return client.post(f"/incidents/{incident.pk}/snooze/", data)


def told(answer) -> str:
    return " ".join(str(each) for each in get_messages(answer.wsgi_request))


def sorted_out() -> attention.Attention:
    return attention.sorted_out(attention.by_cause(attention._open()), account=False)


def titles(world: World, incident: Incident, reader: str = "operate") -> list[str]:
    found = selectors.incident(world.client(reader).get("/").wsgi_request.principal, incident.pk)
    group = selectors.like(world.client(reader).get("/").wsgi_request.principal, found)
    reading = world.client(reader).get("/").wsgi_request.principal
    return [item.title for item in incident_story.timeline(reading, group)]


def move_back(incident: Incident, hours: int) -> None:
    """Move everything about the incident this many hours into the past."""
    ago = timedelta(hours=hours)
    row = Incident.objects.get(pk=incident.pk)
    row.since -= ago
    row.snoozed_until = row.snoozed_until and row.snoozed_until - ago
    row.save()
    for event in row.events.all():
        event.at -= ago
        event.until = event.until and event.until - ago
        event.save()


# -- owner ------------------------------------------------------------------------------------


def test_of_two_who_acknowledge_at_once_the_second_is_told_who_has_it(world, operator):
    incident = open_one(account=world.own)
    address = f"/incidents/{incident.pk}/acknowledge/"
    assert "“Pool east is full” is assigned to you" in told(operator.post(address))
    second = world.client("owner")
    json = second.post(address, headers={"Accept": "application/json"}).json()
    assert json == {"acknowledged_by": "operate", "yours": False}
    assert "operate has already acknowledged this." in told(second.post(address))
    assert Incident.objects.get().acknowledged_name == "operate"


def test_who_is_the_owner_hides_nothing_and_is_no_longer_the_first_step(operator):
    first, _second = open_one("east"), open_one("x", type="numbers.other")
    assert sorted_out().primary.worst.pk == first.pk
    operator.post(f"/incidents/{first.pk}/acknowledge/")
    found = sorted_out()
    assert [cause.worst.object for cause in found.causes] == ["east", "x"]
    assert found.primary.worst.object == "x"


# -- snooze -----------------------------------------------------------------------------------


def test_a_snoozed_cause_is_folded_away_counted_and_said_by_whom_and_why(operator):
    east, _west = open_one("east"), open_one("west")
    assert "comes back at once" in told(snooze(operator, east, reason="Power cut until 15:00"))
    found = sorted_out()
    assert (found.causes, len(found.snoozed), found.warnings) == ([], 1, 0)
    page = operator.get("/incidents/").content.decode()
    for text in ("Snoozed 1", "Power cut until 15:00", "operate", "All is well"):
        assert text in page
    assert "Snoozed 1" in operator.get("/overview/").content.decode()
    entries = AuditEntry.objects.filter(action="operations.snooze")
    assert {entry.reason for entry in entries} == {"Power cut until 15:00"}
    assert entries.count() == 2  # one for each incident of the cause


def test_a_snooze_ends_at_its_time_and_by_hand(operator):
    incident = open_one()
    snooze(operator, incident)
    assert sorted_out().causes == []
    Incident.objects.update(snoozed_until=timezone.now() - timedelta(seconds=1))
    assert len(sorted_out().causes) == 1
    snooze(operator, incident)
    address = f"/incidents/{incident.pk}/snooze/end/"
    assert "Snooze ended." in told(operator.post(address))
    assert "is not snoozed" in told(operator.post(address))
    assert len(sorted_out().causes) == 1
    assert AuditEntry.objects.filter(action="operations.snooze_end").count() == 1


def test_one_more_object_brings_a_snoozed_cause_back_at_once(operator):
    snooze(operator, open_one("east"))
    assert sorted_out().causes == []
    open_one("west")
    (cause,) = sorted_out().causes
    assert len(cause.incidents) == 2


def test_a_snoozed_incident_that_turns_critical_comes_back_at_once_and_is_told(operator):
    NoticeTarget.objects.create(address="ops@example.com")
    snooze(operator, open_one())
    open_one(severity="critical")
    assert len(sorted_out().causes) == 1
    assert Notice.objects.filter(event="worse").count() == 1
    assert notices.send_due()["sent"] == 2


def test_another_figure_does_not_end_a_snooze(operator):
    snooze(operator, open_one(detail="91 %"))
    open_one(detail="97 %")
    assert sorted_out().causes == []


def test_alerts_of_a_snoozed_incident_wait_until_the_snooze_or_the_incident_ends(operator):
    NoticeTarget.objects.create(address="ops@example.com")
    incident = open_one()
    snooze(operator, incident)
    other = open_one("x", type="numbers.other")
    assert notices.send_due()["sent"] == 1  # for the other incident
    assert Notice.objects.get(incident=other).state == Notice.State.SENT
    incidents.close(type="numbers.full", object="east")
    assert notices.send_due()["sent"] == 2
    assert list(Notice.objects.filter(incident=incident).values_list("state", flat=True)) == [
        Notice.State.SENT,
        Notice.State.SENT,
    ]


@pytest.mark.parametrize(
    ("until", "reason", "error"),
    [
        ("", "Known", "Choose how long to snooze."),
        ("1y", "Known", "Choose how long to snooze."),
        ("1h", "  ", "Enter a reason"),
        ("1h", "x" * 201, "Enter a reason"),
    ],
)
def test_a_snooze_without_an_end_or_a_reason_is_refused_and_changes_nothing(
    operator, until, reason, error
):
    incident = open_one()
    assert error in told(snooze(operator, incident, until=until, reason=reason))
    assert not Incident.objects.get().snoozed_until
    assert not IncidentEvent.objects.exists()


def test_a_moment_that_is_over_or_far_ahead_is_refused(world):
    user = world.users["operate"]
    for ahead in (timedelta(seconds=-1), timedelta(days=8)):
        with pytest.raises(ValidationError, match="7 days"):
            incident_care.snooze_incidents(
                [open_one()], actor=user, until=timezone.now() + ahead, reason="Known"
            )


def test_tomorrow_is_nine_in_the_readers_morning(operator):
    snooze(operator, open_one(), until="tomorrow")
    until = Incident.objects.get().snoozed_until
    assert until is not None
    there = timezone.localtime(until, ZoneInfo("Asia/Shanghai"))
    assert (there.hour, there.minute) == (9, 0)
    assert timedelta(0) < until - timezone.now() < timedelta(hours=34)


def test_a_second_click_snoozes_once_and_one_that_ended_is_left_alone(operator):
    incident = open_one()
    for _ in range(2):
        snooze(operator, incident)
    assert IncidentEvent.objects.filter(kind="snoozed").count() == 1
    incidents.close(type="numbers.full", object="east")
    assert "Nothing was snoozed" in told(snooze(operator, incident, until="4h"))
    assert IncidentEvent.objects.filter(kind="snoozed").count() == 1


def test_a_snooze_by_who_saw_only_a_warning_does_not_hide_what_is_critical_by_now(world):
    seen = open_one()
    open_one(severity="critical")
    done = incident_care.snooze_incidents(
        [seen], actor=world.users["operate"], until=timezone.now() + SOON, reason="Known"
    )
    assert done == 0
    assert Incident.objects.get().snoozed_until is None


def test_health_that_is_worse_than_its_row_says_is_shown_though_the_row_is_snoozed(db):
    row = open_one(type="health.redis", object="redis")
    row.snoozed_until = timezone.now() + SOON
    row.save()

    class Judged:
        def __init__(self, severity: str) -> None:
            self.severity = severity

        def incidents(self) -> list[Incident]:
            new = Incident(type="health.redis", object="redis", severity=self.severity)
            new.since = timezone.now()
            return [new]

    def snoozed(severity: str) -> bool:
        (found,) = attention.with_health([row], Judged(severity))
        return found.is_snoozed

    assert snoozed("warning")
    assert not snoozed("critical")


def test_the_badges_do_not_count_what_is_snoozed(operator):
    def counts() -> dict[str, int]:
        sections = operator.get("/incidents/").context["navigation"]
        return {item.name: item.count for section in sections for item in section.items}

    incident = open_one()
    assert counts()["pools"] == 1
    snooze(operator, incident)
    assert counts()["pools"] == 0
    open_one("west")
    assert counts()["pools"] == 2


# -- the page of one --------------------------------------------------------------------------


def test_the_page_of_an_incident_has_facts_one_next_step_and_everything_that_happened(operator):
    incident = open_one(severity="critical")
    open_one("west")
    page = operator.get(f"/incidents/{incident.pk}/").content.decode()
    assert page.count('button--primary" href') == 1
    for text in ("Critical", "Add numbers.", "Pool west is full", "Unassigned"):
        assert text in page, text


def test_the_timeline_tells_one_act_on_a_cause_once_and_what_checks_did(world, operator):
    east = open_one("east")
    open_one("west")
    operator.post(f"/incidents/{east.pk}/acknowledge/")
    snooze(operator, east)
    open_one("east", severity="critical")
    operator.post(f"/incidents/{east.pk}/notes/", {"text": "Carrier called\nback at 15:00"})
    assert titles(world, east) == [
        "Note by operate",
        "Turned critical",
        "Snoozed by operate",
        "Acknowledged by operate",
        "Joined: Pool west is full",
        "Incident opened",
    ]
    assert "Carrier called" in operator.get(f"/incidents/{east.pk}/").content.decode()


def test_a_snooze_whose_time_was_up_is_told_and_one_more_object_says_that_it_ended_it(
    world, operator
):
    east = open_one("east")
    snooze(operator, east)
    move_back(east, 2)
    assert "Snooze ended" in titles(world, east)
    snooze(operator, east)
    west = open_one("west")
    assert (
        incident_story.timeline(operator.get("/").wsgi_request.principal, [east, west])[0].why
        == "One more object: the snooze ended."
    )


def test_what_is_wrong_again_leads_to_the_time_before_and_back(world, operator):
    first = open_one()
    incidents.close(type="numbers.full", object="east")
    second = open_one()
    assert titles(world, second) == ["Opened again"]
    assert titles(world, first) == ["Incident closed", "Incident opened"]
    assert f"/incidents/{first.pk}/" in operator.get(f"/incidents/{second.pk}/").content.decode()
    page = operator.get(f"/incidents/{first.pk}/").content.decode()
    assert f"/incidents/{second.pk}/" in page
    assert "Snooze…" not in page


def test_alerts_are_in_the_timeline_of_those_who_may_see_their_recipients(world, operator):
    own = NoticeTarget.objects.create(address="own@example.com", account=world.own)
    ours = NoticeTarget.objects.create(address="ops@example.com")
    incident = open_one(account=world.own)
    for target, error in ((own, "answered 500"), (ours, "")):
        OutgoingCall.objects.create(
            notice=Notice.objects.get(target=target),
            purpose="notice.opened",
            address=target.address,
            account=target.account,
            error=error,
        )
    assert set(titles(world, incident)) == {
        "Incident opened",
        "Alert sent to ops@example.com",
        "Alert to own@example.com failed",
    }
    assert set(titles(world, incident, "owner")) == {
        "Incident opened",
        "Alert to own@example.com failed",
    }


@pytest.mark.parametrize(("text", "count"), [("", 0), ("x" * 2_001, 0), ("x" * 2_000, 1)])
def test_a_note_has_a_text_of_a_bounded_length(operator, text, count):
    incident = open_one()
    operator.post(f"/incidents/{incident.pk}/notes/", {"text": text})
    assert IncidentEvent.objects.filter(kind="note").count() == count


def test_notes_are_bounded_in_number(operator, monkeypatch):
    monkeypatch.setattr(incident_care, "MOST_NOTES", 1)
    incident = open_one()
    for _ in range(2):
        answer = operator.post(f"/incidents/{incident.pk}/notes/", {"text": "Known"})
    assert "There are already 1 notes." in told(answer)


def test_a_foreign_accounts_incident_of_the_same_cause_is_neither_shown_nor_touched(world):
    own, other = (open_one(a.slug, account=a) for a in (world.own, world.other))
    owner = world.client("owner")
    page = owner.get(f"/incidents/{own.pk}/").content.decode()
    assert "Pool own is full" in page
    assert "Pool other is full" not in page
    snooze(owner, own)
    other.refresh_from_db()
    assert other.snoozed_until is None
    assert owner.get(f"/incidents/{other.pk}/").status_code == 404
    assert snooze(owner, other).status_code == 404
    assert world.client("looker").post(f"/incidents/{own.pk}/notes/").status_code == 403


def test_what_an_account_sees_says_when_nothing_looks_for_its_problems(world):
    owner = world.client("owner")
    set_running()
    assert owner.get("/overview/").context["attention"].silent is False
    from poolsite import hotpath
    from poolsite.operations import health

    hotpath.client().flushdb()
    health.forget()
    page = owner.get("/overview/")
    assert page.context["attention"].silent is True
    assert "There may be problems that are not listed here." in page.content.decode()


# -- the list and the topic -------------------------------------------------------------------


def test_ended_incidents_are_filtered_by_a_period(operator):
    old, new = open_one("old"), open_one("new")
    for name in ("old", "new"):
        incidents.close(type="numbers.full", object=name)
    Incident.objects.filter(pk=old.pk).update(until=timezone.now() - timedelta(days=8))

    def objects(query: str) -> set[str]:
        return {row.object for row in operator.get(f"/incidents/?{query}").context["rows"]}

    assert objects("days=7") == {new.object}
    assert objects("days=30") == objects("") == objects("days=x") == {"old", "new"}


@pytest.mark.django_db(transaction=True)
def test_the_topic_has_the_snoozed_ones_apart(clean_redis):
    world = make_world()
    set_running()
    incident = open_one(account=world.own)
    snooze(world.client("owner"), incident)
    for address in ("operations.incidents:all", f"operations.incidents:{world.own.pk}"):
        data = topic_data(address)
        assert (data["causes"], data["problems"], data["silent"]) == ([], 0, False)
        (cause,) = data["snoozed"]
        assert cause["back_at"] == Incident.objects.get().snoozed_until.isoformat()
        assert f"/incidents/{incident.pk}/snooze/end/" in cause["html"]
