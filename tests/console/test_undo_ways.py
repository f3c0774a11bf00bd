"""Undo for objects without settings: agents, wallets, tariffs, templates, chatbots.

It also covers the changes for which the history states why undo is impossible.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.messages import get_messages
from django.core.exceptions import ValidationError
from django.utils import timezone
from pytest_django import Settings

from billing.models import Campaign, Chatbot, Tariff, Template, Wallet
from billing.money import UNITS
from billing.pricing.calls import Rate
from billing.services.adjustments import adjustment_approve, adjustment_ask
from billing.services.chatbots import chatbot_change, chatbot_create
from billing.services.tariffs import tariff_change, tariff_create, tariff_end
from billing.services.templates import template_change, template_create
from billing.services.wallets import wallet_close, wallet_configure, wallet_open
from poolsite import access
from poolsite.access import Principal, principal_of_user
from poolsite.access.models import AuditEntry, User
from poolsite.access.services import grant_set
from poolsite.console import undoing
from queueing.line.models import Agent, Desk
from queueing.line.services.desk_settings import agent_archive
from queueing.line.services.desks import (
    agent_configure,
    agent_create,
    desk_create,
    queue_configure,
    queue_create,
)
from tests.access.world import World, make_world
from tests.console.undo_support import back, latest

PRICES = {"native_text": {"unit_price": 800}}
DEARER = {"native_text": {"unit_price": 900}}


@pytest.fixture(autouse=True)
def no_second_factor(settings: Settings) -> None:
    settings.SECOND_FACTOR_FOR_MONEY = False


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def ask(world: World) -> Callable[[str], Principal]:
    return lambda reader: principal_of_user(User.objects.get(pk=world.users[reader].pk))


@pytest.fixture
def desk(world: World) -> Desk:
    return desk_create(actor="test", slug="d", name="Desk", account=world.own)


@pytest.fixture
def wallet(world: World) -> Wallet:
    return wallet_open(world.own, "test")


@pytest.fixture
def tariff(world: World) -> Tariff:
    begins = timezone.now() + timedelta(days=3)
    return tariff_create(
        actor="test", account=world.own, name="Spring", prices=PRICES, valid_from=begins
    )


@pytest.fixture
def chatbot(world: World) -> Chatbot:
    return chatbot_create(actor="test", account=world.own, slug="bot", name="Bot", rate_limit=5)


# -- the line --------------------------------------------------------------------------------------


def test_a_queue_goes_back_with_its_hours_and_its_overflow(desk: Desk, ask: Any) -> None:
    spare = queue_create(actor="test", desk=desk, slug="spare", name="Spare")
    queue = queue_create(actor="test", desk=desk, slug="q", name="Queue", overflow=spare)
    week = {"0": [["09:00", "12:00"]]}
    queue_configure(actor="test", queue=queue, hours=week, overflow=None, max_length=2)
    change = latest("line.queue_configure")
    assert (change.thing_kind, change.thing_id) == ("queue", "q")
    assert (change.before or {})["overflow"] == "spare"
    back(latest("line.queue_configure"), ask("operate"))
    queue.refresh_from_db()
    assert (queue.hours, queue.overflow, queue.max_length) == ({}, spare, 10_000)
    back(latest("line.queue_configure"), ask("operate"))
    queue.refresh_from_db()
    assert (queue.hours, queue.overflow, queue.max_length) == (week, None, 2)


def test_what_names_a_thing_that_is_gone_cannot_be_set_again(desk: Desk, ask: Any) -> None:
    spare = queue_create(actor="test", desk=desk, slug="spare", name="Spare")
    queue = queue_create(actor="test", desk=desk, slug="q", name="Queue", overflow=spare)
    queue_configure(actor="test", queue=queue, overflow=None)
    spare.delete()
    change = latest("line.queue_configure")
    told = undoing.standing(ask("operate"), change)
    assert told == undoing.UndoOffer(why_not="The earlier values can no longer be restored.")
    with pytest.raises(ValidationError, match="can no longer be restored"):
        undoing.undo(change, actor=ask("operate"))


@pytest.fixture
def agent(world: World, desk: Desk) -> Agent:
    first = queue_create(actor="test", desk=desk, slug="one", name="One")
    queue_create(actor="test", desk=desk, slug="two", name="Two")
    return agent_create(
        actor="test", desk=desk, user=world.users["agent"], name="Lin", queues=[first]
    )


def queues_of(agent: Agent) -> list[str]:
    return sorted(queue.slug for queue in Agent.objects.get(pk=agent.pk).queues.all())


def test_an_agent_goes_back_with_the_queues(desk: Desk, agent: Agent, ask: Any) -> None:
    both = list(desk.queues.all())
    agent_configure(actor="test", agent=agent, name="Lin", capacity=3, queues=both)
    change = latest("line.agent_configure")
    assert change.before == {"capacity": 1, "queues": ["one"]}
    assert change.after == {"capacity": 3, "queues": ["one", "two"]}
    back(latest("line.agent_configure"), ask("operate"))
    agent.refresh_from_db()
    assert (agent.capacity, queues_of(agent)) == (1, ["one"])
    agent_configure(actor="test", agent=agent, queues=both)
    told = undoing.standing(ask("operate"), change)
    assert "changed since" in told.why_not


def test_a_saved_form_that_changes_nothing_is_no_entry(desk: Desk, agent: Agent) -> None:
    agent_configure(
        actor="test", agent=agent, name="Lin", capacity=1, queues=[desk.queues.get(slug="one")]
    )
    assert not AuditEntry.objects.filter(action="line.agent_configure").exists()


def test_an_archived_agent_does_not_go_back(agent: Agent, ask: Any) -> None:
    agent_configure(actor="test", agent=agent, capacity=3)
    agent_archive(actor="test", agent=agent)
    told = undoing.standing(ask("operate"), latest("line.agent_configure"))
    assert told.why_not == "This agent is archived."


# -- money -----------------------------------------------------------------------------------------


def test_a_wallets_limits_go_back_for_its_owner(wallet: Wallet, ask: Any) -> None:
    wallet_configure(wallet, actor="test", daily_limit=15 * UNITS, alert_below=UNITS)
    back(latest("billing.wallet_configure"), ask("owner"))
    wallet.refresh_from_db()
    assert (wallet.daily_limit, wallet.alert_below) == (0, 0)
    nothing = undoing.UndoOffer()
    assert undoing.standing(ask("operate"), latest("billing.wallet_configure")) == nothing


def test_the_backlogs_limit_is_not_the_customers(wallet: Wallet, ask: Any) -> None:
    wallet_configure(wallet, actor="test", log_limit=2_000)
    change = latest("billing.wallet_configure")
    assert undoing.standing(ask("owner"), change) == undoing.UndoOffer()
    with pytest.raises(access.Forbidden):
        undoing.undo(change, actor=ask("owner"))
    back(latest("billing.wallet_configure"), ask("finance"))


def test_a_closed_account_stays_as_it_is(wallet: Wallet, ask: Any) -> None:
    wallet_configure(wallet, actor="test", daily_limit=UNITS)
    wallet_close(wallet, actor="test", reason="contract ended")
    told = undoing.standing(ask("finance"), latest("billing.wallet_configure"))
    assert told.why_not == "This account is closed."


def test_a_tariff_goes_back_until_it_is_in_use(tariff: Tariff, ask: Any) -> None:
    begun, before = tariff.valid_from, tariff.prices
    later = begun + timedelta(days=1)
    tariff_change(actor="test", tariff=tariff, name="Summer", prices=DEARER, valid_from=later)
    back(latest("billing.tariff_change"), ask("finance"))
    tariff.refresh_from_db()
    assert (tariff.name, tariff.prices) == ("Spring", before)
    assert abs(tariff.valid_from - begun) < timedelta(milliseconds=1)
    # in use: what it priced keeps its price
    Tariff.objects.filter(pk=tariff.pk).update(valid_from=timezone.now() - timedelta(days=1))
    tariff.refresh_from_db()
    entry = latest("billing.tariff_change")
    after = {**(entry.after or {}), "valid_from": tariff.valid_from}
    now = access.audit(
        actor="test", action=entry.action, thing=tariff, before=entry.before, after=after
    )
    now.refresh_from_db()
    told = undoing.standing(ask("finance"), now)
    assert told.why_not == "This version is in use. End it and create a new one."
    with pytest.raises(ValidationError, match="in use"):
        undoing.undo(now, actor=ask("finance"))


def test_a_change_of_call_rates_does_not_go_back(tariff: Tariff, ask: Any) -> None:
    given = {"name": "Summer", "prices": PRICES, "valid_from": tariff.valid_from}
    tariff_change(actor="test", tariff=tariff, call_rates=[Rate("+49", "Germany", 1)], **given)
    told = undoing.standing(ask("finance"), latest("billing.tariff_change"))
    assert told.why_not == "The earlier values can no longer be restored."
    # a later change that keeps the rates can be undone
    tariff.refresh_from_db()
    tariff_change(actor="test", tariff=tariff, **given | {"name": "Autumn"})
    back(latest("billing.tariff_change"), ask("finance"))
    tariff.refresh_from_db()
    assert (tariff.name, tariff.rates_count) == ("Summer", 1)


def test_a_removed_tariff_is_told_of(tariff: Tariff, ask: Any) -> None:
    tariff_change(
        actor="test", tariff=tariff, name="B", prices=PRICES, valid_from=tariff.valid_from
    )
    tariff.delete()
    change = latest("billing.tariff_change")
    assert undoing.standing(ask("finance"), change).why_not == "It no longer exists."
    with pytest.raises(access.Hidden):
        undoing.undo(change, actor=ask("finance"))


def test_a_templates_texts_go_back_until_a_campaign_sends_it(
    wallet: Wallet, chatbot: Chatbot, ask: Any
) -> None:
    link = "https://example.com/a"
    template = template_create(
        actor="test",
        chatbot=chatbot,
        name="Spring",
        native_text="Hello",
        yuexin_link=link,
        link_registered=True,
    )
    template_change(
        actor="test", template=template, native_text="Hallo", yuexin_link="https://example.com/b"
    )
    assert sorted(latest("billing.template_change").after or {}) == [
        "link_registered",
        "native_text",
        "yuexin_link",
    ]
    back(latest("billing.template_change"), ask("owner"))
    found = Template.objects.get()
    assert (found.native_text, found.yuexin_link, found.link_registered) == ("Hello", link, True)
    Campaign.objects.create(
        wallet=wallet,
        chatbot=chatbot,
        template=template,
        name="c",
        created_by="test",
        status=Campaign.Status.SENDING,
    )
    told = undoing.standing(ask("owner"), latest("billing.template_change"))
    assert told.why_not == "A campaign uses this template. Create a new one instead."


def test_a_template_that_is_saved_unchanged_is_no_entry(chatbot: Chatbot) -> None:
    template = template_create(actor="test", chatbot=chatbot, name="Spring", native_text="Hello")
    template_change(actor="test", template=template, name=" Spring ", native_text="Hello")
    assert not AuditEntry.objects.filter(action="billing.template_change").exists()


def test_a_chatbot_goes_back_and_never_another_accounts_of_the_same_name(
    world: World, chatbot: Chatbot, ask: Any
) -> None:
    theirs = chatbot_create(actor="test", account=world.other, slug="bot", name="Bot", rate_limit=5)
    for each in (chatbot, theirs):
        chatbot_change(actor="test", chatbot=each, name="Loud", rate_limit=50)
    own = AuditEntry.objects.filter(action="billing.chatbot_change", account=world.own).get()
    assert undoing.standing(ask("foreign"), own) == undoing.UndoOffer()
    undoing.undo(own, actor=ask("owner"))
    chatbot.refresh_from_db()
    theirs.refresh_from_db()
    assert (chatbot.name, chatbot.rate_limit) == ("Bot", 5)
    assert (theirs.name, theirs.rate_limit) == ("Loud", 50)


# -- never -----------------------------------------------------------------------------------------


def test_money_that_moved_is_never_taken_back_and_the_page_says_why(
    world: World, wallet: Wallet, ask: Any
) -> None:
    asked = adjustment_ask(
        wallet, actor=ask("finance"), kind="credit", amount=UNITS, reason="thanks", token=uuid4()
    )
    request = latest("billing.adjustment_ask")
    assert undoing.standing(ask("finance"), request) == undoing.UndoOffer()
    grant_set(user=world.users["operate"], name="finance", actor="test")
    adjustment_approve(asked, actor=ask("operate"))
    why = "Money has moved. Correct it with an opposite adjustment."
    change = latest("billing.adjustment_approve")
    for entry in (change, request):
        assert undoing.standing(ask("finance"), entry) == undoing.UndoOffer(why_not=why)
    with pytest.raises(ValidationError, match="Money has moved"):
        undoing.undo(change, actor=ask("finance"))
    assert why in world.client("finance").get("/history/").content.decode()
    assert why not in world.client("owner").get("/history/").content.decode()


@pytest.mark.parametrize(("said", "moved"), [("paid", True), ("failed", False)])
def test_a_payment_that_failed_moved_nothing(
    wallet: Wallet, ask: Any, said: str, moved: bool
) -> None:
    entry = access.audit(
        actor="billing.demo", action="billing.recharge_report", thing=wallet, after={"said": said}
    )
    assert bool(undoing.standing(ask("finance"), entry).why_not) is moved


def test_an_end_that_was_set_only_comes_nearer(tariff: Tariff, ask: Any) -> None:
    tariff_end(actor="test", tariff=tariff, valid_until=tariff.valid_from + timedelta(days=9))
    told = undoing.standing(ask("finance"), latest("billing.tariff_end"))
    assert told.why_not == (
        "A version's end can only be moved earlier. Create a new version instead."
    )


# -- the page --------------------------------------------------------------------------------------


def test_the_page_leads_back_to_where_its_reader_was(world: World, wallet: Wallet) -> None:
    wallet_configure(wallet, actor="test", daily_limit=UNITS)
    client = world.client("finance")
    page = "/history/?action=billing.&sort=-did"
    change = latest("billing.wallet_configure")
    text = client.get(page).content.decode()
    assert f'action="/history/{change.pk}/undo/"' in text
    assert 'name="back" value="/history/?action=billing.&amp;sort=-did"' in text
    answer = client.post(f"/history/{change.pk}/undo/", {"back": page})
    assert answer["Location"] == page
    assert [message.level_tag for message in get_messages(answer.wsgi_request)] == ["success"]
    assert "It has been changed since." in client.get(page).content.decode()
    away = client.post(f"/history/{change.pk}/undo/", {"back": "//evil.example/"})
    assert away["Location"] == "/history/"


def test_money_asks_for_the_second_factor_first(
    world: World, wallet: Wallet, settings: Settings
) -> None:
    wallet_configure(wallet, actor="test", daily_limit=UNITS)
    settings.SECOND_FACTOR_FOR_MONEY = True
    client = world.client("finance")
    change = latest("billing.wallet_configure")
    address = f"/history/{change.pk}/undo/"
    assert f'action="{address}"' in client.get("/history/").content.decode()
    assert client.post(address)["Location"].startswith("/security/confirm/")
    wallet.refresh_from_db()
    assert wallet.daily_limit == UNITS
