"""A page has the same name in the menu, in its heading and in the browser's title."""

import re
from html import unescape

import pytest

from billing.models import Wallet
from tests.access.world import World, make_world

LINK = re.compile(
    r'<a class="nav-item" href="([^"]+)".*?<span class="nav-item__label">([^<]+)</span>', re.DOTALL
)
HEADING = re.compile(r"<h1[^>]*>(.*?)</h1>", re.DOTALL)
TITLE = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@pytest.fixture
def world(db: None) -> World:
    made = make_world()
    Wallet.objects.create(account=made.own)  # without one, a customer's pages lead to the balance
    return made


@pytest.mark.parametrize("reader", ["operate", "looker", "owner", "agent", "supervisor"])
def test_each_page_of_the_menu_is_named_as_in_the_menu(world: World, reader: str):
    client = world.client(reader)
    links = LINK.findall(client.get("/", follow=True).content.decode())
    assert links
    names = [unescape(label) for _, label in links]
    assert sorted(names) == sorted(set(names)), "two pages have the same name"
    wrong = {}
    for url, label in links:
        answer = client.get(url, follow=True)
        if answer.request["PATH_INFO"].startswith("/security/"):
            continue  # requires a second factor first
        page = answer.content.decode()
        shown = [_text(pattern.search(page)) for pattern in (HEADING, TITLE)]
        if shown[0] != unescape(label) or not shown[1].startswith(unescape(label)):
            wrong[url] = (label, *shown)
    assert wrong == {}


def _text(found: re.Match[str] | None) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found[1] if found else "")).split())
