"""Templates and chatbots: complete or not, changed only while unused, separate for each tenant."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError

from billing.models import Campaign, Chatbot, Template, Wallet
from billing.pricing.content import content_of, missing_of
from billing.selectors.tariffs import chatbot_list, template_list
from billing.services.chatbots import (
    chatbot_archive,
    chatbot_change,
    chatbot_create,
    chatbot_token_create,
)
from billing.services.templates import template_archive, template_change, template_create
from poolsite import access
from poolsite.access.models import ApiToken
from tests.numbers.people import Tenant, tenant

pytestmark = pytest.mark.django_db

COMPLETE: dict[str, Any] = {
    "name": "Spring",
    "native_text": "Our spring list is here.",
    "yuexin_text": "Our spring list:",
    "yuexin_link": "https://example.com/s",
    "link_registered": True,
    "video_subject": "Spring",
    "video_kilobytes": 300,
}


@pytest.fixture
def north() -> Tenant:
    return tenant("north")


@pytest.fixture
def chatbot(north: Tenant) -> Chatbot:
    return chatbot_create(actor=north.owner, account=north.account, slug="shop", name="Shop")


def test_a_complete_template_lacks_nothing_and_its_link_is_part_of_the_text(
    chatbot: Chatbot,
) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE)
    assert missing_of(template) == []
    content = content_of(template)
    assert content.yuexin_text == "Our spring list: https://example.com/s"
    assert (content.text, content.video_kilobytes) == ("Our spring list is here.", 300)


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"native_text": " "}, "the native message"),
        ({"native_kind": "card"}, "the card"),
        ({"yuexin_text": ""}, "the Yuexin text with its link"),
        ({"yuexin_link": ""}, "the Yuexin text with its link"),
        ({"link_registered": False}, "the link registration with handset makers"),
        ({"video_subject": ""}, "the video message"),
        ({"video_kilobytes": 0}, "the video message"),
    ],
)
def test_what_is_missing_is_named(chatbot: Chatbot, change: dict[str, Any], missing: str) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE | change)
    assert missing_of(template) == [missing]


def test_another_link_has_to_be_registered_again(chatbot: Chatbot) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE)
    changed = template_change(actor="test", template=template, yuexin_link="https://example.com/t")
    assert changed.link_registered is False


def test_a_template_that_a_campaign_sends_does_not_change(north: Tenant, chatbot: Chatbot) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE)
    campaign = Campaign.objects.create(
        wallet=Wallet.objects.create(account=north.account),
        chatbot=chatbot,
        template=template,
        name="c",
        created_by="test",
    )
    template_change(actor="test", template=template, name="Spring 2")
    campaign.status = Campaign.Status.SENDING
    campaign.save()
    with pytest.raises(ValidationError, match="campaign uses"):
        template_change(actor="test", template=template, native_text="other")


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"native_kind": "hologram"},
        {"native_text": "x" * 5_001},
        {"native_text": "a\x00b"},
        {"yuexin_link": "javascript:alert(1)"},
        {"video_kilobytes": -1},
        {"video_kilobytes": 100_001},
        {"video_kilobytes": 1.5},
    ],
)
def test_a_bad_template_is_refused(chatbot: Chatbot, change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        template_create(actor="test", chatbot=chatbot, **COMPLETE | change)
    assert not Template.objects.exists()


def test_archived_templates_and_chatbots_leave_the_lists(north: Tenant, chatbot: Chatbot) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE)
    assert list(template_list(north.principal)) == [template]
    template_archive(actor=north.owner, template=template)
    assert list(template_list(north.principal)) == []
    assert list(template_list(north.principal, archived=True)) == [template]
    chatbot_archive(actor=north.owner, chatbot=chatbot)
    assert list(chatbot_list(north.principal)) == []
    with pytest.raises(ValidationError, match="archived"):
        template_create(actor=north.owner, chatbot=Chatbot.objects.get(), **COMPLETE)


def test_another_tenant_sees_and_changes_nothing(north: Tenant, chatbot: Chatbot) -> None:
    template = template_create(actor="test", chatbot=chatbot, **COMPLETE)
    south = tenant("south")
    assert list(chatbot_list(south.principal)) == []
    assert list(template_list(south.principal)) == []
    for attempt in (
        lambda: template_change(actor=south.owner, template=template, name="mine"),
        lambda: chatbot_change(actor=south.owner, chatbot=chatbot, name="mine", rate_limit=0),
        lambda: chatbot_token_create(actor=south.owner, chatbot=chatbot),
    ):
        with pytest.raises(access.Hidden):
            attempt()


@pytest.mark.parametrize(
    "change",
    [
        {"slug": "Shop"},
        {"slug": ""},
        {"slug": "new"},  # the address of the form
        {"name": ""},
        {"rate_limit": -1},
        {"name": "a\nb"},
    ],
)
def test_a_bad_chatbot_is_refused(north: Tenant, change: dict[str, Any]) -> None:
    given = {"slug": "shop", "name": "Shop", **change}
    with pytest.raises(ValidationError):
        chatbot_create(actor="test", account=north.account, **given)


def test_a_chatbot_s_token_reaches_its_wallet_alone_and_the_one_before_it_ends(
    north: Tenant, chatbot: Chatbot
) -> None:
    with pytest.raises(ValidationError, match="This account has no balance yet"):
        chatbot_token_create(actor=north.owner, chatbot=chatbot)
    Wallet.objects.create(account=north.account)
    chatbot_token_create(actor=north.owner, chatbot=chatbot)
    first = ApiToken.objects.get()
    assert first.resources == ["wallet:north"]
    assert "settle" not in first.events
    assert "*" not in (*first.resources, *first.actions, *first.events)
    chatbot_token_create(actor=north.owner, chatbot=chatbot)
    chatbot.refresh_from_db()
    first.refresh_from_db()
    assert not first.is_live
    assert chatbot.token is not None
    assert chatbot.token.is_live
    chatbot_archive(actor=north.owner, chatbot=chatbot)
    assert not ApiToken.objects.filter(revoked_at=None).exists()
