"""The sidebar by role: nine entries at first, folded sections, keys, one name for each page."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.urls import NoReverseMatch
from django.utils.translation import override

from billing.models import Wallet
from poolsite import operations
from poolsite.access import principal_of_user, services
from poolsite.console import navigation
from queueing.admission.models import Gate
from tests.access.world import READERS, ROLES, World, make_world

PEOPLE = READERS[1:]
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
CRUMB = re.compile(r"""\{% url '([\w:-]+)'[^%]*%\}">\{% translate "([^"]+)" %\}</a>""")
CRUMBS = re.compile(r"\{% block breadcrumbs %\}(.*?)\{% endblock %\}", re.DOTALL)


@pytest.fixture
def world(db: None) -> World:
    made = make_world()
    Wallet.objects.create(account=made.own)
    return made


def names(world: World, reader: str) -> list[str]:
    return [item.name for _, item in navigation.items(principal_of_user(world.users[reader]))]


@pytest.mark.parametrize("reader", PEOPLE)
def test_no_two_entries_of_a_reader_have_one_key(world: World, reader: str) -> None:
    keys = [item.key for _, item in navigation.items(principal_of_user(world.users[reader]))]
    assert sorted(filter(None, keys)) == sorted(set(filter(None, keys)))


def test_no_two_entries_at_all_have_one_key() -> None:
    keys = [entry.key for entry in navigation.entries() if entry.key]
    assert sorted(keys) == sorted(set(keys))
    assert "g" not in keys  # "g" starts the shortcuts themselves


@pytest.mark.parametrize("reader", PEOPLE)
def test_nine_entries_at_most_are_seen_at_a_glance(world: World, reader: str) -> None:
    principal = principal_of_user(world.users[reader])
    for entry in navigation.entries():
        sections = navigation.sections(principal, entry.url_name)
        headings = [section for section in sections if section.folds]
        top = [item for section in sections if not section.folds for item in section.items]
        opened = [item for section in headings if section.open for item in section.items]
        assert len(top) + len(opened) <= navigation.AT_A_GLANCE
        assert len(top) + len(headings) <= navigation.AT_A_GLANCE
        current = [section for section in headings if section.current]
        assert [section.open for section in current] == [True] * len(current)


def test_each_role_has_first_what_it_needs_first(world: World) -> None:
    assert names(world, "looker")[:2] == ["overview", "incidents"]
    assert names(world, "owner")[:4] == ["balance", "campaigns", "top_ups", "statements"]
    assert names(world, "payer")[:4] == ["balance", "campaigns", "top_ups", "statements"]
    assert names(world, "agent") == ["agent", "agent-history"]
    assert not any(
        section.folds
        for section in navigation.sections(principal_of_user(world.users["agent"]), "line:agent")
    )


def test_customers_do_not_see_what_they_have_none_of(world: World) -> None:
    for role in ROLES:
        assert not {"gates", "groups", "imports"} & set(names(world, role))
    Gate.objects.create(slug="own-gate", name="Own gate", key="k", account=world.own)
    assert "gates" in names(world, "owner")
    assert "gates" not in names(world, "foreign")
    assert {"gates", "groups", "imports"} <= set(names(world, "looker"))
    services.grant_set(user=world.users["owner"], name="operate", thing="pool:x", actor="test")
    assert "imports" in names(world, "owner")


def shown(page: str) -> dict[str, bool]:
    """Return each foldable section and whether it is open."""
    found = re.findall(r'<details class="nav-group" data-nav-group="(\w+)"([^>]*)>', page)
    return {name: " open" in rest for name, rest in found}


def test_the_sections_stay_as_this_browser_left_them(world: World) -> None:
    client = world.client("operate")
    page = client.get("/system/").content.decode()
    assert [name for name, is_open in shown(page).items() if is_open] == ["system"]
    client.cookies[navigation.COOKIE] = "billing.nonsense."
    page = client.get("/system/").content.decode()
    assert [name for name, is_open in shown(page).items() if is_open] == ["billing", "system"]
    assert 'aria-current="page"' in page


def test_a_folded_section_shows_what_is_wrong_in_it(world: World) -> None:
    for n in range(2):
        operations.incidents.open(
            type="billing.audit", object=f"a{n}", severity="critical", title="Out of balance"
        )
    page = world.client("operate").get("/pools/").content.decode()
    heading = page.partition('id="nav-billing"')[2].partition("</summary>")[0]
    assert "badge--bad" in heading
    assert "<span data-count>2</span>" in heading
    heading = page.partition('id="nav-queueing"')[2].partition("</summary>")[0]
    assert re.search(r'class="badge" data-incidents="[^"]+" hidden', heading)


def test_breadcrumbs_name_a_page_as_the_menu_does() -> None:
    with override("en"):
        labels = {entry.url_name: str(entry.label) for entry in navigation.entries()}
    found = []
    for template in TEMPLATES.rglob("*.html"):
        text = template.read_text(encoding="utf-8")
        parts = CRUMBS.findall(text) + ([text] if "crumbs" in template.name else [])
        for part in parts:
            found += [(template.name, name, unescape(word)) for name, word in CRUMB.findall(part)]
    assert len(found) > 20
    assert [each for each in found if labels.get(each[1], each[2]) != each[2]] == []


def test_every_entry_leads_somewhere() -> None:
    from django.urls import reverse

    for entry in navigation.entries():
        try:
            reverse(entry.url_name)
        except NoReverseMatch:
            pytest.fail(f"{entry.name} has no page")
