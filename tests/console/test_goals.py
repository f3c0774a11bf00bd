"""The guides to the first call, visitor, permit and top-up: who may use them, and their steps."""

from typing import Any
from uuid import uuid4

import pytest
from django.http import HttpResponse
from django.test import Client

from billing.models import Adjustment, Wallet
from billing.services.adjustments import adjustment_approve
from numbers import pool as pool_commands
from numbers.models import Number, Pool
from numbers.services import pool_pause
from poolsite import hotpath
from poolsite.access import services
from poolsite.access.models import AuditEntry, Invitation, Membership
from poolsite.console import goals
from queueing.admission import gate as gate_commands
from queueing.admission.models import Gate
from queueing.line.models import Agent, Desk
from queueing.line.services import desks
from tests.access.world import World, make_world

pytestmark = pytest.mark.django_db(transaction=True)
NUMBERS = "+86 138 0000 0000\n+86 138 0000 0001"


@pytest.fixture
def world(settings: Any) -> World:
    """Two tenants. No step requires a second factor."""
    settings.SECOND_FACTOR_FOR_MONEY = False
    goals.forget_finished()
    return make_world()


def send(world: World, goal: str, step: str, reader: str = "operate", **data: Any) -> Any:
    """Submit a step, as its form would."""
    return world.client(reader).post(f"/start/{goal}/", {"step": step, "token": uuid4(), **data})


def states(answer: HttpResponse) -> dict[str, str]:
    """Return the state of each step on a page."""
    rows: Any = answer.context["rows"]
    return {row["step"].name: row["state"] for row in rows}


def look(world: World, goal: str, reader: str = "operate") -> Any:
    return world.client(reader).get(f"/start/{goal}/")


# -- the first call --------------------------------------------------------------------------------


def test_each_step_opens_the_next_and_the_test_call_leaves_no_number_busy(world):
    assert states(look(world, "call")) == {"pool": "next", "numbers": "later", "call": "later"}
    assert send(world, "call", "pool", name="Retail East").status_code == 302
    pool = Pool.objects.get(slug="retail-east")
    assert states(look(world, "call")) == {"pool": "done", "numbers": "next", "call": "later"}
    assert send(world, "call", "numbers", numbers=NUMBERS).status_code == 302
    assert send(world, "call", "call").status_code == 302
    assert set(states(look(world, "call")).values()) == {"done"}
    figures = hotpath.run(pool_commands.show(pool.slug))
    assert figures is not None
    assert (figures.idle_down, figures.busy_up, figures.busy_down) == (2, 0, 0)
    assert (figures.carried, figures.blocked) == (1, 0)
    page = look(world, "call").content.decode()
    assert "test-call-" in page
    assert "/api/v1/pools/retail-east/events" in page
    assert (
        "made a test call in the pool" in world.client("operate").get("/history/").content.decode()
    )


def test_what_is_done_is_not_repeated(world):
    for _time in range(2):
        assert send(world, "call", "pool", name="East").status_code == 302
    assert Pool.objects.count() == 1
    for _time in range(2):
        send(world, "call", "numbers", numbers=NUMBERS)
    token = uuid4()
    for _time in range(2):
        send(world, "call", "call", token=token)
    assert AuditEntry.objects.filter(action="numbers.test_call").count() == 1
    assert AuditEntry.objects.filter(action="numbers.number_add").count() == 1
    send(world, "call", "call")  # with a new token, the call is made again
    assert AuditEntry.objects.filter(action="numbers.test_call").count() == 2


def test_a_step_that_comes_later_cannot_be_sent(world):
    assert send(world, "call", "call").status_code == 302
    assert send(world, "call", "no-such-step").status_code == 302
    assert not AuditEntry.objects.filter(action="numbers.test_call").exists()


def test_one_bad_line_adds_no_number_and_is_named(world):
    send(world, "call", "pool", name="East")
    answer = send(world, "call", "numbers", numbers=f"{NUMBERS}\nabc")
    assert answer.status_code == 422
    assert "Line 3: This is not a number." in answer.content.decode()
    assert not Number.objects.exists()


def test_a_pool_that_refuses_says_why_and_nothing_is_noted(world):
    send(world, "call", "pool", name="East")
    send(world, "call", "numbers", numbers=NUMBERS)
    pool_pause(actor="test", pool=Pool.objects.get(), reason="maintenance")
    answer = send(world, "call", "call")
    assert answer.status_code == 422
    assert "The pool is paused." in answer.content.decode()
    assert not AuditEntry.objects.filter(action="numbers.test_call").exists()
    figures = hotpath.run(pool_commands.show("east"))
    assert figures is not None
    assert figures.idle_down == 2


def test_a_name_in_other_letters_gets_a_short_name(world):
    assert send(world, "call", "pool", name="北方").status_code == 302
    assert Pool.objects.get().slug == "pool"
    assert (
        send(world, "permit", "gate", name="北方", cap=5, permit_seconds="60 s").status_code == 302
    )
    assert Gate.objects.get().slug == "gate"


# -- the first permit, visitor and top-up ----------------------------------------------------------


def test_the_test_permit_is_given_back(world):
    send(world, "permit", "gate", name="Meters", cap=1, permit_seconds="60 s")
    for _time in range(2):
        assert send(world, "permit", "permit").status_code == 302
    figures = hotpath.run(gate_commands.show("meters"))
    assert figures is not None
    assert (figures.granted, figures.used, figures.released) == (2, 0, 2)
    assert set(states(look(world, "permit")).values()) == {"done"}
    hotpath.run(gate_commands.acquire("meters", "device"))
    answer = send(world, "permit", "permit")
    assert answer.status_code == 422
    assert "All slots are in use." in answer.content.decode()


def test_an_operator_serves_the_first_visitor_as_a_new_member(world):
    send(world, "visitor", "desk", name="Help")
    send(world, "visitor", "queue", name="Orders")
    operator = world.users["operate"]
    send(world, "visitor", "agent", user=operator.pk, name="Olive")
    agent = Agent.objects.get()
    assert (agent.name, agent.desk.account) == ("Olive", world.own)
    assert Membership.objects.get(user=operator).role == "agent"
    assert world.client("operate").get("/agent/").status_code == 200
    page = look(world, "visitor")
    assert states(page)["visitor"] == "next"
    assert "/q/orders/" in page.content.decode()
    assert "No visitor is waiting" in page.content.decode()


def test_a_manager_goes_on_with_the_own_desk_and_a_foreign_one_is_not_there(world):
    for account in (world.own, world.other):
        desks.desk_create(actor="test", slug=f"{account.slug}-desk", name="Help", account=account)
    page = look(world, "visitor", "owner")
    assert page.status_code == 200
    assert states(page)["queue"] == "next"
    assert send(world, "visitor", "queue", "owner", name="Orders").status_code == 302
    assert Desk.objects.get(slug="own-desk").queues.count() == 1
    assert world.client("owner").get("/start/visitor/?on=own-desk").status_code == 200
    assert world.client("owner").get("/start/visitor/?on=other-desk").status_code == 404
    assert world.client("owner").get("/overview/").context["guides"][0].goal.name == "visitor"


def test_money_takes_the_grant_and_the_second_person(world):
    address = "/start/top-up/?on=own"
    page = world.client("operate").get(address)
    assert "Another operator must do this step." in page.content.decode()
    assert (
        world.client("operate").post(address, {"step": "balance", "token": uuid4()}).status_code
        == 403
    )
    services.grant_set(user=world.users["finance"], name="operate", actor="test")
    client = world.client("finance")
    token = uuid4()
    for _time in range(2):
        client.post(address, {"step": "balance", "token": token})
    wallet = Wallet.objects.get(account=world.own)
    client.post(address, {"step": "owner", "email": "owner@example.com"})
    assert Invitation.objects.get().role == "owner"
    given = {"step": "top_up", "amount": "500", "reason": "First", "token": token}
    for _time in range(2):
        client.post(address, given)
    asked = Adjustment.objects.get()
    page = client.get(address)
    assert "is waiting for another operator" in page.content.decode()
    assert states(page)["top_up"] == "next"
    other = services.user_create(username="second", is_operator=True, actor="test")
    services.grant_set(user=other, name="finance", actor="test")
    approver = Client()
    approver.force_login(other)
    assert "¥500.00 is waiting for your approval." in approver.get(address).content.decode()
    adjustment_approve(asked, actor=other)
    page = client.get(address)
    assert states(page) == {
        **dict.fromkeys(("account", "balance", "owner", "top_up"), "done"),
        "prices": "optional",
    }
    assert wallet.slug == "own"


# -- who, and where it leads -----------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["call", "visitor", "permit", "top-up", "session"])
def test_who_may_do_none_of_the_steps_is_not_led(world, goal):
    for reader in ("looker", "owner", "foreign", "supervise"):
        assert look(world, goal, reader).status_code == 403, reader
    assert look(world, goal, "nobody").status_code == 302
    assert look(world, goal).status_code == 200
    assert look(world, "no-such-goal").status_code == 404


def test_the_overview_and_empty_lists_lead_to_the_guides_until_all_are_reached(world):
    client = world.client("operate")
    names = [guide.goal.name for guide in client.get("/overview/").context["guides"]]
    assert names == ["call", "visitor", "permit", "top-up", "session"]
    for address, goal in (
        *(("/pools/", "call"), ("/numbers/", "call"), ("/desks/", "visitor")),
        *(("/gates/", "permit"), ("/groups/", "session"), ("/billing/accounts/", "top-up")),
    ):
        assert f'href="/start/{goal}/' in client.get(address).content.decode(), address
    assert world.client("looker").get("/overview/").context["guides"] == []
    assert "/start/" not in world.client("looker").get("/numbers/").content.decode()
