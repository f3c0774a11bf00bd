"""What happens in the apps becomes an event for its listeners, with its figures."""

from typing import Any

import pytest
from django.utils import timezone

from billing.models import Campaign, Message, Wallet
from billing.money import UNITS
from billing.persistence.running import persist_one
from billing.services import alerts, campaigns_running
from billing.services.campaigns_sweeping import sweep_campaigns
from numbers import services as numbers_services
from numbers.models import Number
from poolsite.access.models import Account
from poolsite.operations.models import WebhookDelivery, WebhookEvent
from poolsite.operations.webhooks import services
from queueing.dispatch import services as dispatch_services
from queueing.line.models import Room
from queueing.line.services import rooms, visits
from tests.access.url_rules_campaigns import campaign
from tests.access.world import make_world
from tests.billing.books.book_support import held, live_wallet, reported
from tests.billing.recharge.money_people import payers
from tests.dispatch.people import back, make_group
from tests.dispatch.upgrading import beat_until_trusted, begin, replace, ticks
from tests.line.line_world import make_line
from tests.numbers.people import make_pool

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def listen(account: Account | None = None, *events: str) -> None:
    services.endpoint_create(
        actor="test",
        account=account,
        name="hook",
        url="https://hooks.example/",
        events=events or ["*"],
    )


def told(*types: str) -> list[tuple[str, dict[str, Any]]]:
    rows = WebhookEvent.objects.order_by("created_at", "type")
    found = rows.filter(type__in=types) if types else rows
    return [(row.type, row.data) for row in found]


def test_final_states_of_messages_are_told_once_with_what_they_cost() -> None:
    wallet = live_wallet("acme", spendable=10_000)
    listen(wallet.account, "message.delivered", "message.failed")
    for name in ("m1", "m2", "m3"):
        held(wallet, name, sent=True)
    persist_one(wallet)
    assert told() == []  # none is final
    reported(wallet, "m1")
    reported(wallet, "m2", "")
    persist_one(wallet)
    found = {data["message"]: (kind, data) for kind, data in told()}
    assert {name: kind for name, (kind, _) in found.items()} == {
        "m1": "message.delivered",
        "m2": "message.failed",
    }
    assert found["m1"][1] == {
        "message": "m1",
        "chatbot": "",
        "kind": "message",
        "mode": "native_text",
        "charged": "0.0300",
        "currency": wallet.account.currency,
        **{
            name: getattr(Message.objects.get(message_id="m1"), name).isoformat()
            for name in ("held_at", "sent_at", "ended_at")
        },
    }
    assert found["m2"][1]["charged"] == "0.0000"
    reported(wallet, "m1", "")  # too late: a contradiction, and no second final state
    persist_one(wallet)
    assert len(told()) == 2


def test_messages_that_nobody_listens_to_are_not_read() -> None:
    mine, other = live_wallet("mine"), live_wallet("other")
    listen(other.account, "message.delivered")
    listen(mine.account, "balance.low")
    held(mine, "m1", sent=True)
    reported(mine, "m1")
    persist_one(mine)
    assert told() == []


def test_a_low_balance_and_its_recovery_are_told() -> None:
    people = payers()
    listen(people.wallet.account, "balance.low", "balance.recovered")
    rows = Wallet.objects.filter(pk=people.wallet.pk)
    for spendable in (99, 99, 120):
        rows.update(alert_below=100 * UNITS, spendable=spendable * UNITS)
        alerts.check_low_balances()
    assert [(kind, data["balance"], data["threshold"]) for kind, data in told()] == [
        ("balance.low", "99.0000", "100.0000"),
        ("balance.recovered", "120.0000", "100.0000"),
    ]


def test_quarantine_and_release_of_numbers_are_told_one_by_one() -> None:
    pool = make_pool("east", numbers=3)
    listen(None, "number.quarantined", "number.released")
    values = sorted(Number.objects.filter(pool=pool).values_list("value", flat=True))
    numbers_services.numbers_quarantine(actor="test", pool=pool, values=values, reason="spam")
    numbers_services.numbers_quarantine(actor="test", pool=pool, values=values, reason="again")
    quarantined = [data for _, data in told("number.quarantined")]
    assert sorted(data["number"] for data in quarantined) == values
    assert {(data["pool"], data["reason"], data["by"]) for data in quarantined} == {
        ("east", "spam", "test")
    }
    numbers_services.numbers_release(actor="test", pool=pool, values=values[:1])
    assert [data["number"] for _, data in told("number.released")] == values[:1]


def test_an_upgrade_is_told_when_it_is_done_and_when_it_is_aborted() -> None:
    group = make_group(heartbeat_seconds=1)
    listen(None, "upgrade.completed", "upgrade.aborted")
    servers = {name: back(name) for name in ("as-1", "as-2")}
    aborted = begin(group)
    dispatch_services.upgrade_abort(actor="test", upgrade=aborted, reason="Wrong version")
    [(kind, data)] = told()
    assert (kind, data["upgrade"]) == ("upgrade.aborted", aborted.pk)
    assert data["reason"] == "Wrong version"
    done = begin(group)
    for name, server in servers.items():
        ticks(2)
        new = replace(server, name)
        ticks()
        beat_until_trusted(done, new, name)
    ticks()
    [(kind, data)] = told("upgrade.completed")
    assert (data["upgrade"], data["version"], data["group"]) == (done.pk, "2.0", group.slug)


def test_rooms_visits_and_transcripts_are_told_and_a_drain_that_is_repeated_adds_none() -> None:
    line = make_line()
    listen(line.account, "room.ended", "visit.ended", "transcript.ready")
    joined = visits.visit_join(queue=line.queue, name="Ann", topic="bill", address="10.0.0.1")
    agent = line.agent("li", online=True)
    line.drain()
    assert told() == []
    assert rooms.room_finish(agent, joined.visit.public_id).ok
    line.drain()
    found = dict(told())
    assert set(found) == {"room.ended", "visit.ended", "transcript.ready"}
    common = {"desk": "support", "visit": joined.visit.public_id, "queue": "support-help"}
    for data in found.values():
        assert common.items() <= data.items()
        assert data["agent"] == "Li"
        assert "Ann" not in str(data)  # the visitor's name is not sent
    assert found["visit.ended"]["outcome"] == "served"
    room = Room.objects.get()
    assert found["room.ended"]["began_at"] == room.began_at.isoformat()
    assert found["room.ended"]["ended_at"] is not None
    line.drain()
    assert WebhookDelivery.objects.count() == 3


def test_a_visitor_who_left_before_an_agent_came_has_no_transcript() -> None:
    line = make_line()
    listen(line.account, "*")
    joined = visits.visit_join(queue=line.queue, name="Ann", topic="bill", address="10.0.0.1")
    visits.visit_leave(desk=line.desk, visit=joined.visit.public_id)
    line.drain()
    assert [(kind, data["outcome"]) for kind, data in told()] == [("visit.ended", "left")]


def test_a_campaign_is_told_when_the_platform_pauses_it_and_when_it_is_done() -> None:
    found = campaign(make_world())
    listen(found.wallet.account, "campaign.paused", "campaign.completed")
    rows = Campaign.objects.filter(pk=found.pk)
    rows.update(status=Campaign.Status.SENDING, started_at=timezone.now())
    assert campaigns_running.stop(found, Campaign.Status.LOW_BALANCE, "The balance is too low.")
    assert not campaigns_running.stop(found, Campaign.Status.PAUSED, "somebody was faster")
    rows.update(status=Campaign.Status.SENT)
    sweep_campaigns(0, 1)
    sweep_campaigns(0, 1)
    assert [(kind, data["status"], data["reason"]) for kind, data in told()] == [
        ("campaign.paused", "low", "The balance is too low."),
        ("campaign.completed", "done", ""),
    ]
