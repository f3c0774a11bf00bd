"""The lists of campaigns and templates: searched by name, filtered, sorted, exported."""

import csv
import io
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from billing.models import Campaign, Template
from poolsite.access.services import membership_set, user_create
from poolsite.runtime.redis_server import RedisServer
from tests.billing.campaigns.world import Sender, sender
from tests.billing.pages.page_world import browser, customer
from tests.billing.pages.test_pages import body_of

pytestmark = pytest.mark.django_db(transaction=True)
CAMPAIGNS = "/accounts/acme/campaigns/"
TEMPLATES = "/accounts/acme/templates/"


@pytest.fixture
def acme(clean_redis: RedisServer) -> Sender:
    return sender()


@pytest.fixture
def reader(acme: Sender) -> Client:
    user = user_create(username="lou", actor="test")
    membership_set(user=user, account=acme.wallet.account, roles=["sender"], actor="test")
    return browser(user)


def names(reader: Client, address: str, key: str) -> list[str]:
    rows: Any = reader.get(address).context["rows"]
    return [row[key].name for row in rows]


def rows_of(reader: Client, address: str) -> list[dict[str, str]]:
    text = body_of(reader.get(address)).removeprefix("\ufeff")
    return list(csv.DictReader(io.StringIO(text)))


def test_campaigns_are_found_filtered_sorted_and_exported(acme: Sender, reader: Client) -> None:
    for name, status in (("Autumn", "draft"), ("Advent", "done"), ("Winter", "done")):
        Campaign.objects.filter(pk=acme.empty(name).pk).update(status=status)
    assert names(reader, CAMPAIGNS, "campaign") == ["Winter", "Advent", "Autumn"]
    assert names(reader, f"{CAMPAIGNS}?q=a&sort=name", "campaign") == ["Advent", "Autumn"]
    assert names(reader, f"{CAMPAIGNS}?state=done", "campaign") == ["Winter", "Advent"]
    assert names(reader, f"{CAMPAIGNS}?state=nonsense&sort=cost", "campaign") == [
        *("Winter", "Advent", "Autumn")
    ]
    page = reader.get(f"{CAMPAIGNS}?q=a").content.decode()
    assert "Done (1)" in page
    assert "No matches" in reader.get(f"{CAMPAIGNS}?q=zz").content.decode()
    (row,) = rows_of(reader, f"{CAMPAIGNS}?format=csv&q=adv")
    assert (row["name"], row["state"], row["cost"]) == ("Advent", "done", "0.0000")


def test_templates_in_use_are_listed_and_archived_ones_on_demand(
    acme: Sender, reader: Client
) -> None:
    old = Template.objects.create(
        chatbot=acme.shop.chatbot, name="Old", native_kind="text", archived_at=timezone.now()
    )
    assert names(reader, TEMPLATES, "template") == ["Voucher"]
    assert names(reader, f"{TEMPLATES}?state=archived", "template") == [old.name]
    assert names(reader, f"{TEMPLATES}?state=all&sort=-name", "template") == ["Voucher", "Old"]
    assert names(reader, f"{TEMPLATES}?state=all&q=o", "template") == ["Old"]
    slug = acme.shop.chatbot.slug
    assert names(reader, f"{TEMPLATES}?chatbot={slug}", "template") == ["Voucher"]
    assert "Archived (1)" in reader.get(TEMPLATES).content.decode()
    rows = rows_of(reader, f"{TEMPLATES}?format=csv&state=all")
    assert [(row["name"], row["state"]) for row in rows] == [
        *(("Old", "archived"), ("Voucher", "complete"))
    ]


def test_another_account_s_lists_and_files_look_like_nothing(acme: Sender) -> None:
    stranger = browser(customer("northbank").people["owner"])
    for page in (CAMPAIGNS, TEMPLATES):
        for query in ("", "?format=csv", "?q=a"):
            assert stranger.get(f"{page}{query}").status_code == 404
