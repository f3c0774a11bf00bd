"""The settings of a gate on one page: what is saved, what is refused, and two windows at once."""

from typing import Any

import pytest
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import AuditEntry, Grant, User
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.models import Gate
from queueing.admission.views import holders as view
from tests.admission.people import make_batch, make_gate, report, show

pytestmark = pytest.mark.django_db(transaction=True)
PAGE = "/gates/tower/settings/"


@pytest.fixture
def gate(clean_redis: RedisServer) -> Gate:
    """A gate with the defaults."""
    return make_gate(name="Tower")


@pytest.fixture
def browser() -> Client:
    """A browser of an operator with the grant to act."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return client


def shown(client: Client) -> dict[str, Any]:
    """Return what the page would send back without any change."""
    form = client.get(PAGE).context["form"]
    data = {}
    for field in form:
        value = field.value()
        if value is None or value is False:
            continue
        data[field.html_name] = "on" if value is True else value
        if field.field.show_hidden_initial:
            data[field.html_initial_name] = data[field.html_name]
    return data


def test_settings_are_saved_and_in_force_at_once(gate: Gate, browser: Client) -> None:
    page = browser.get(PAGE).content.decode()
    assert "Adaptive limit" in page
    changed = {
        "cap": 7,
        "permit_seconds": "2 min",
        "rate_per_second": 3,
        "adaptive": "on",
        "adaptive_min": 2,
        "adaptive_max": 9,
        "reason": "a smaller machine",
    }
    saved = browser.post(PAGE, {**shown(browser), **changed})
    assert saved.status_code == 302, saved.context["form"].errors.as_json()
    figures = show()
    assert (figures.cap, figures.settings.permit_seconds) == (7, 120)
    assert (figures.settings.rate_per_second, figures.settings.adaptive) == (3, True)
    entry = AuditEntry.objects.get(action="admission.gate_configure")
    assert entry.reason == "a smaller machine"
    assert set(entry.after) == set(changed) - {"reason"}


def test_saving_without_a_change_changes_nothing(gate: Gate, browser: Client) -> None:
    before = show()
    assert browser.post(PAGE, shown(browser)).status_code == 302
    assert not AuditEntry.objects.filter(action="admission.gate_configure").exists()
    assert show().seq == before.seq


def test_another_windows_cap_stays(gate: Gate, browser: Client) -> None:
    opened = shown(browser)
    services.gate_resize(actor="another window", gate=gate, cap=5)
    assert browser.post(PAGE, {**opened, "permit_seconds": "200 s"}).status_code == 302
    assert (show().cap, show().settings.permit_seconds) == (5, 200)


def test_a_setting_that_both_changed_is_refused_once_with_the_others_value(
    gate: Gate, browser: Client
) -> None:
    opened = shown(browser)
    services.gate_configure(actor="another window", gate=gate, permit_seconds=600)
    mine = {**opened, "permit_seconds": "200 s", "margin_seconds": "5 s"}
    refused = browser.post(PAGE, mine)
    assert refused.status_code == 422
    page = refused.content.decode()
    assert "Someone changed this to “10 min” after you opened the page." in page
    assert "Not saved: 1 field needs a change" in page
    assert 'value="200 s"' in page
    assert show().settings.permit_seconds == 600
    again = {**mine, "initial-permit_seconds": "10 min"}
    assert 'name="initial-permit_seconds" value="10 min"' in page
    assert browser.post(PAGE, again).status_code == 302
    assert (show().settings.permit_seconds, show().settings.margin_seconds) == (200, 5)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"cap": "0"}, "greater than or equal to 1"),
        ({"cap": "-1"}, "greater than or equal to"),
        ({"cap": "1000001"}, "less than or equal to 1000000"),
        ({"cap": "many"}, "whole number"),
        ({"cap": "9" * 60}, "less than or equal to"),
        ({"permit_seconds": "1 s"}, "Use 2 s or more."),
        ({"permit_seconds": "300"}, "Add a unit, for example 90 s or 4 h."),
        ({"margin_seconds": "300 s"}, "Enter a value lower than the permit duration."),
        (
            {"longest_seconds": "299 s"},
            "The permit duration can&#x27;t exceed the maximum duration.",
        ),
        ({"adaptive_min": "61"}, "The minimum can&#x27;t exceed the maximum."),
        ({"rate_per_second": "10001"}, "less than or equal to 10000"),
        ({"attempts": "0"}, "greater than or equal to 1"),
        ({"key": "a b"}, "1 to 64 letters"),
        ({"key": "taken"}, "Another gate already uses this key."),
        ({"name": ""}, "required"),
    ],
)
def test_bad_settings_are_refused_and_change_nothing(
    gate: Gate, browser: Client, bad: dict[str, str], words: str
) -> None:
    make_gate("other", key="taken")
    before = show()
    answer = browser.post(PAGE, {**shown(browser), **bad})
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert "<title>Tower" in answer.content.decode()  # the name that was not saved is shown nowhere
    gate.refresh_from_db()
    assert (gate.cap, gate.key, gate.name) == (60, "tower", "Tower")
    assert (show().seq, show().settings) == (before.seq, before.settings)


def test_the_admin_refuses_what_does_not_go_together(gate: Gate, browser: Client) -> None:
    make_gate("other", key="taken")
    path = f"/admin/admission/gate/{gate.pk}/change/"
    form = browser.get(path).context["adminform"].form
    data = {
        f.html_name: f.value() for f in form if f.value() is not None and f.value() is not False
    }
    for bad in ({"margin_seconds": "300"}, {"adaptive_min": "61"}, {"key": "taken"}):
        assert browser.post(path, {**data, **bad}).status_code == 200, bad
    gate.refresh_from_db()
    assert (gate.margin_seconds, gate.adaptive_min, gate.key) == (10, 1, "tower")
    assert browser.post(path, {**data, "cap": "8"}).status_code == 302
    assert show().cap == 8


# -- every holder ----------------------------------------------------------------------------------


def test_holders_are_shown_page_by_page_and_found_by_their_name(
    gate: Gate, browser: Client
) -> None:
    services.gate_resize(actor="test", gate=gate, cap=200)
    for number in range(130):
        hotpath.run(commands.acquire("tower", f"worker-{number:03d}"))
    make_batch(gate, ["d1"])
    report("d1")
    path = "/gates/tower/holders/"
    first, second = browser.get(path), browser.get(f"{path}?page=1")
    assert [len(page.context["rows"]) for page in (first, second)] == [100, 31]
    assert "100 of 131 holders" in first.content.decode()
    for text, task in (("worker-129", False), ("d1", True)):
        (row,) = browser.get(path, {"q": text}).context["rows"]
        assert (row["name"], bool(row["task"])) == (text, task)
    for text in ("worker", "<b>", "a b", "é"):
        assert browser.get(path, {"q": text}).context["rows"] == []


def test_holders_are_sorted_before_they_are_paged(
    gate: Gate, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "ROWS", 2)
    for name in ("b", "d", "a", "c"):
        hotpath.run(commands.acquire("tower", name))

    def names(query: str) -> list[str]:
        shown = browser.get(f"/gates/tower/holders/{query}").context
        return [row["name"] for row in shown["rows"]]

    assert [names("?sort=holder"), names("?sort=holder&page=1")] == [["a", "b"], ["c", "d"]]
    assert names("?sort=-holder") == ["d", "c"]
    monkeypatch.setattr(view, "SORTED_ROWS", 3)
    assert names("?sort=holder") == ["b", "d"]  # too many to sort: the earliest deadline first
    assert "sort=" not in browser.get("/gates/tower/holders/").content.decode()


def test_the_list_of_holders_stands_while_redis_lacks_the_gate(gate: Gate, browser: Client) -> None:
    hotpath.client().flushall()
    assert "Redis isn't responding" in browser.get("/gates/tower/holders/").content.decode()


def test_a_gate_is_deleted_once_its_short_name_is_typed(gate: Gate, browser: Client) -> None:
    url = "/gates/tower/delete/"
    assert url in browser.get(PAGE).content.decode()
    permit = hotpath.run(commands.acquire("tower", "h1"))
    for given, why in (
        ({"typed": "towe", "reason": "old"}, "to confirm"),
        ({"typed": "tower", "reason": " "}, "short reason"),
        ({"typed": "tower", "reason": "old"}, "1 slot is in use"),
    ):
        page = browser.post(url, given, follow=True)
        assert page.redirect_chain == [(PAGE, 302)]
        assert why in page.content.decode()
    assert show().status == "open"
    hotpath.run(commands.release("tower", "h1", permit.token))
    page = browser.post(url, {"typed": "tower", "reason": "old"}, follow=True)
    assert page.redirect_chain == [("/gates/", 302)]
    assert "Gate Tower deleted." in page.content.decode()
    assert AuditEntry.objects.get(action="admission.gate_delete").reason == "old"
    assert hotpath.run(commands.show("tower")) is None
