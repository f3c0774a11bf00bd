"""An incident is assigned to a person by name. One that no check closes is resolved by hand."""

import pytest
from django.contrib.messages import get_messages
from django.test import Client

from poolsite import access
from poolsite.access import principal_of_user, services
from poolsite.access.models import AuditEntry, User
from poolsite.console import sentences
from poolsite.operations import incident_story, incidents, selectors
from poolsite.operations.models import Incident, IncidentEvent
from tests.access.world import World, make_world
from tests.operations.probing import open_one


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def operator(world: World) -> Client:
    return world.client("operate")


def assign(client: Client, incident: Incident, owner: User) -> str:
    answer = client.post(f"/incidents/{incident.pk}/assign/", {"owner": owner.pk})
    return str(list(get_messages(answer.wsgi_request))[-1])


def told(entry: AuditEntry) -> str:
    return sentences.said(sentences.Reading(entry)).text


# -- the owner --------------------------------------------------------------------------------


def test_a_cause_is_assigned_whole_whoever_has_it(world, operator):
    world.with_everybody()
    east, west = open_one("east"), open_one("west")
    operator.post(f"/incidents/{east.pk}/acknowledge/")
    looker = world.users["looker"]
    assert assign(operator, east, looker) == "“Pool east is full” is assigned to looker."
    owners = Incident.objects.values_list("acknowledged_by", "acknowledged_name")
    assert list(owners) == [(looker.pk, "looker")] * 2
    events = IncidentEvent.objects.filter(kind="assigned")
    assert set(events.values_list("incident", "who", "text")) == {
        (each.pk, "operate", "looker") for each in (east, west)
    }
    assert "looker has it already" in assign(operator, east, looker)
    assert AuditEntry.objects.filter(action="operations.assign").count() == 2


def test_the_timeline_and_the_audit_log_name_both_people(world, operator):
    incident = open_one()
    assign(operator, incident, world.users["supervise"])
    reading = principal_of_user(world.users["operate"])
    titles = [item.title for item in incident_story.timeline(reading, [incident])]
    assert titles == ["Assigned to supervise by operate", "Incident opened"]
    entry = AuditEntry.objects.get(action="operations.assign")
    assert "operate assigned the incident “Pool east is full” to supervise" in str(told(entry))


def test_only_people_who_may_see_the_cause_are_offered(world):
    world.with_everybody()
    group = [open_one(account=world.own)]
    for reader, wanted in (
        ("operate", {"owner", "admin", "looker", "operate", "finance", "supervise"}),
        ("owner", {"owner", "admin"}),
    ):
        found = selectors.possible_owners(principal_of_user(world.users[reader]), group)
        assert {user.username for user in found} == wanted
        for user in found:
            decision = access.decide(principal_of_user(user), "operations.incidents", group[0])
            assert decision.allowed, user
    both = [*group, open_one("other", account=world.other)]
    found = selectors.possible_owners(principal_of_user(world.users["operate"]), both)
    assert {user.username for user in found} == {"looker", "operate", "finance", "supervise"}


def test_who_may_not_see_it_or_is_inactive_does_not_become_the_owner(world, operator):
    incident = open_one(account=world.own)
    services.user_deactivate(user=world.users["looker"], actor="test", reason="left")
    for reader in ("foreign", "agent", "roleless", "looker"):
        assert assign(operator, incident, world.users[reader]) == "Choose a person."
    assert assign(world.client("owner"), incident, world.users["operate"]) == "Choose a person."
    answer = operator.post(f"/incidents/{incident.pk}/assign/", {"owner": "9" * 40})
    assert answer.status_code == 302
    assert Incident.objects.get().acknowledged_by is None


def test_one_that_has_ended_keeps_its_owner(world, operator):
    incident = open_one()
    incidents.close(type="numbers.full", object="east")
    assert "or it has ended" in assign(operator, incident, world.users["operate"])
    assert Incident.objects.get().acknowledged_by is None


def test_the_page_offers_everybody_but_the_owner(world, operator):
    incident = open_one()
    page = operator.get(f"/incidents/{incident.pk}/").content.decode()
    assert "Assign…" in page
    assign(operator, incident, world.users["looker"])
    page = operator.get(f"/incidents/{incident.pk}/").content.decode()
    assert "Assign…" in page
    assert f'<option value="{world.users["looker"].pk}">' not in page
    assert f'<option value="{world.users["operate"].pk}">operate (you)</option>' in page
    looked_at = world.client("looker").get(f"/incidents/{incident.pk}/").content.decode()
    assert "Assign…" not in looked_at


# -- the end ----------------------------------------------------------------------------------


def resolve(client: Client, incident: Incident, reason: str = "Refunded, re_123") -> str:
    answer = client.post(f"/incidents/{incident.pk}/resolve/", {"reason": reason})
    return str(list(get_messages(answer.wsgi_request))[-1])


def test_what_a_check_looks_after_is_not_resolved_by_hand(operator):
    incident = open_one()
    assert "Resolve…" not in operator.get(f"/incidents/{incident.pk}/").content.decode()
    assert resolve(operator, incident) == "This incident closes when its cause is gone."
    assert Incident.objects.get().until is None


def test_a_payment_that_does_not_match_is_resolved_by_hand_for_a_reason(world, operator):
    one, other = (open_one(n, type="billing.recharge", account=world.own) for n in "12")
    owner = world.client("owner")
    assert "Resolve…" not in owner.get(f"/incidents/{one.pk}/").content.decode()
    assert owner.post(f"/incidents/{one.pk}/resolve/", {"reason": "Fine"}).status_code == 403
    page = operator.get(f"/incidents/{one.pk}/").content.decode()
    assert "Resolve…" in page
    assert "Enter a reason" in resolve(operator, one, " ")
    assert resolve(operator, one) == "Incident resolved."
    assert resolve(operator, one) == "This incident has already ended."
    assert list(Incident.objects.filter(until=None)) == [other], "each is settled by itself"
    entry = AuditEntry.objects.get(action="operations.resolve")
    assert entry.reason == "Refunded, re_123"
    reading = principal_of_user(world.users["operate"])
    one.refresh_from_db()
    items = incident_story.timeline(reading, [one])
    assert {"Resolved by operate", "Incident closed", "Incident opened"} == {i.title for i in items}
    assert "“Refunded, re_123”" in {item.why for item in items}
