"""Saved views: a list's filters under a name, for the person who saved them."""

import pytest
from django.contrib.auth import get_user_model
from django.contrib.messages import get_messages
from django.core.exceptions import ValidationError
from django.test import Client

from poolsite.access.models import AuditEntry
from poolsite.operations import saved_views
from poolsite.operations.models import SavedView

PATH = "/history/"


@pytest.fixture
def client(olga) -> Client:
    client = Client()
    client.force_login(olga)
    return client


def save(client: Client, name: str, query: str, path: str = PATH):
    return client.post("/views/", {"path": path, "query": query, "name": name})


def test_a_view_keeps_filters_and_forgets_where_in_the_list_one_stood() -> None:
    assert saved_views.kept_query("kind=pool&after=17&who=&q=a b&format=csv") == "kind=pool&q=a+b"


def test_a_saved_view_leads_back_to_its_list(client: Client, olga) -> None:
    answer = save(client, "Pools  of mine", "kind=pool&after=3")
    assert answer["Location"] == "/history/?kind=pool"
    [view] = saved_views.views_of(olga, PATH)
    assert view.name == "Pools of mine"
    assert saved_views.views_of(olga, "/pools/") == []
    assert AuditEntry.objects.filter(action="operations.view_save").count() == 1


def test_the_same_name_is_written_over(client: Client, olga) -> None:
    save(client, "Mine", "kind=pool")
    save(client, "Mine", "kind=gate")
    [view] = saved_views.views_of(olga, PATH)
    assert view.query == "kind=gate"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("", PATH),
        (" ", PATH),
        ("n" * 61, PATH),
        ("x", "//evil.example/"),
        ("x", "https://evil.example/"),
        ("x", "/no-such-page/"),
        ("x", ""),
    ],
)
def test_bad_input_is_told_and_changes_nothing(client: Client, name: str, path: str) -> None:
    answer = save(client, name, "kind=pool", path)
    assert [str(each.level_tag) for each in get_messages(answer.wsgi_request)] == ["error"]
    assert answer["Location"].startswith("/")
    assert not answer["Location"].startswith("//")
    assert not SavedView.objects.exists()


def test_a_page_keeps_thirty_views(olga) -> None:
    for n in range(saved_views.PER_PAGE):
        saved_views.save_view(user=olga, path=PATH, name=str(n), query="")
    with pytest.raises(ValidationError):
        saved_views.save_view(user=olga, path=PATH, name="one more", query="")
    saved_views.save_view(user=olga, path=PATH, name="3", query="kind=pool")
    assert olga.saved_views.count() == saved_views.PER_PAGE


def test_another_persons_view_is_neither_shown_nor_removed(client: Client) -> None:
    other = get_user_model().objects.create_user("other", password="a long password")
    view = saved_views.save_view(user=other, path=PATH, name="Theirs", query="")
    assert client.post(f"/views/{view.pk}/delete/").status_code == 404
    assert SavedView.objects.filter(pk=view.pk).exists()


def test_a_removed_view_is_gone_and_a_second_click_finds_none(client: Client, olga) -> None:
    view = saved_views.save_view(user=olga, path=PATH, name="Mine", query="")
    assert client.post(f"/views/{view.pk}/delete/")["Location"] == PATH
    assert client.post(f"/views/{view.pk}/delete/").status_code == 404
    assert AuditEntry.objects.filter(action="operations.view_delete").count() == 1


def test_the_list_shows_which_view_is_on(client: Client, olga) -> None:
    olga.is_operator = True
    olga.save(update_fields=["is_operator"])
    saved_views.save_view(user=olga, path=PATH, name="Pools <b>", query="kind=pool")
    page = client.get(f"{PATH}?kind=pool").content.decode()
    assert "Pools &lt;b&gt;" in page
    assert "Pools <b>" not in page
    assert 'href="/history/?kind=pool" aria-current="true"' in page
