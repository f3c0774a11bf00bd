"""Lists of aggregates: paged by slug, with columns to sort and export. Unknown values come last."""

import re
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from poolsite.aggregates import paging
from poolsite.console import lists
from poolsite.console.lists import Column
from queueing.admission.models import Gate
from tests.access.world import World, make_world


@dataclass
class Row:
    name: str
    count: int | None


COLUMNS = [
    Column("name", "Name", lambda row: row.name, right=False),
    Column("count", "Count", lambda row: row.count),
]
ROWS = [Row("b", 2), Row("a", None), Row("c", 7), Row("=1+1", 0)]


@pytest.fixture
def world(db) -> World:
    return make_world()


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("count", ["=1+1", "b", "c", "a"]),
        ("-count", ["c", "b", "=1+1", "a"]),
        ("name", ["=1+1", "a", "b", "c"]),
        ("", ["b", "a", "c", "=1+1"]),
        ("no-such-column", ["b", "a", "c", "=1+1"]),
    ],
)
def test_rows_are_sorted_by_a_column_and_unknown_ones_stand_last(sort, names) -> None:
    assert [row.name for row in lists.ordered(ROWS, COLUMNS, sort)] == names


def test_a_click_on_a_head_sorts_and_the_next_one_turns_round() -> None:
    def way(name: str, sort: str) -> tuple[str, str]:
        head = next(each for each in lists.heads(COLUMNS, sort) if each["sort"] == name)
        return head["aria"], head["by"]

    assert way("count", "") == ("none", "-count")
    assert way("count", "-count") == ("descending", "count")
    assert way("count", "count") == ("ascending", "-count")
    assert way("name", "") == ("none", "name")
    assert way("name", "name") == ("ascending", "-name")


def test_the_csv_has_each_column_and_runs_nothing_in_a_spreadsheet() -> None:
    answer = lists.csv_answer("things", COLUMNS, ROWS)
    assert answer["Content-Disposition"] == 'attachment; filename="things.csv"'
    lines = answer.content.decode("utf-8-sig").splitlines()
    assert lines == ["name,count", "b,2", "a,", "c,7", "'=1+1,0"]


@pytest.mark.parametrize(
    ("sort", "pages"),
    [
        ("", [["five", "four"], ["one", "three"], ["two"]]),
        ("gate", [["four", "five"], ["three", "two"], ["one"]]),
        ("-gate", [["one", "two"], ["three", "five"], ["four"]]),
    ],
)
def test_pages_follow_each_other_and_lead_back_in_the_order_of_the_whole_list(
    world, monkeypatch: pytest.MonkeyPatch, sort: str, pages: list[list[str]]
) -> None:
    monkeypatch.setattr(paging, "PAGE_ROWS", 2)
    for slug, name in zip(("five", "four", "one", "three", "two"), "BAECD", strict=True):
        Gate.objects.create(slug=slug, key=slug, name=name, account=world.own)

    def page(address: str) -> paging.ListPage[Any]:
        found: paging.ListPage[Any] = (
            world.client("operate").get(f"/gates/{address}").context["page"]
        )
        return found

    def slugs(shown: paging.ListPage[Any]) -> list[str]:
        return [row.gate.slug for row in shown.rows]

    seen = [page(f"?q=&sort={sort}")]
    while seen[-1].next_url:
        seen.append(page(seen[-1].next_url))
    assert [slugs(each) for each in seen] == pages
    assert (seen[0].back_url, seen[0].total) == ("", 5)
    assert [slugs(page(each.back_url)) for each in seen[1:]] == pages[:-1]
    assert page(f"?sort={sort}&after=nonsense").total == 5


@pytest.mark.parametrize("path", ["/gates/", "/groups/", "/desks/"])
def test_each_list_sorts_by_its_address_and_exports_what_it_shows(world, path: str) -> None:
    client = world.client("operate")
    singular = path.strip("/").removesuffix("s")
    Gate.objects.create(slug="one", key="one", name="One", account=world.own)
    world.own.dispatch_groups.create(slug="one", name="One")
    world.own.desks.create(slug="one", name="One")
    page = client.get(f"{path}?sort={singular}").content.decode()
    assert 'aria-sort="ascending"' in page
    assert f'href="?sort=-{singular}"' in page
    file = client.get(f"{path}?format=csv")
    assert file["Content-Type"].startswith("text/csv")
    head, row = file.content.decode("utf-8-sig").splitlines()
    assert head.split(",")[0] == singular
    assert row.split(",")[0] == "One"


def test_a_file_has_every_page_of_the_list(world, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paging, "PAGE_ROWS", 2)
    for name in ("one", "two", "three", "four", "five", "other"):
        Gate.objects.create(slug=name, key=name, name=name, account=world.own)
    client = world.client("operate")
    file = client.get("/gates/?format=csv&sort=gate&q=o").content.decode("utf-8-sig")
    assert [line.split(",")[0] for line in file.splitlines()[1:]] == ["four", "one", "other", "two"]


def test_the_incidents_are_read_once_however_many_pages_there_are(
    world, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "PAGE_ROWS", 1)
    for slug in ("one", "two"):
        Gate.objects.create(slug=slug, key=slug, name=slug, account=world.own)
    client = world.client("operate")
    with CaptureQueriesContext(connection) as queries:
        client.get("/gates/?sort=gate")
    read = [each for each in queries if 'FROM "operations_incident"' in each["sql"]]
    assert len([each for each in read if "admission." in each["sql"]]) == 1


def test_a_filter_with_dates_has_a_button() -> None:
    """A select applies itself; a date does not, because it is complete several times while typed.

    Without a button, a date that was picked with the mouse or on a phone could not be applied.
    """
    forms = [
        (path.name, form)
        for path in settings.BASE_DIR.glob("templates/**/*.html")
        for form in re.findall(r'<form[^>]*method="get".*?</form>', path.read_text(), re.DOTALL)
        if re.search('type="date|days_filter', form)
    ]
    assert len(forms) > 5
    hidden = '<button class="visually-hidden"'
    assert [name for name, form in forms if hidden in form or "<button" not in form] == []
