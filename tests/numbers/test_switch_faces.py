"""A switch's kind, chosen on the page, by the API, on the command line and in the admin."""

import io
import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from numbers import pool as commands
from numbers import services
from numbers.models import Pool, Switch
from poolsite import hotpath
from poolsite.access.models import AuditEntry, User
from tests.numbers.people import drain, make_pool, operator, send, tenant, token_for
from tests.support.migrating import migrate_forward, models_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

PAGE = "/pools/east/switches/"


@pytest.fixture
def pool() -> Pool:
    return make_pool(account=tenant("north").account)


@pytest.fixture
def page() -> Client:
    """A browser of an operator who may act."""
    operator()
    client = Client()
    client.force_login(User.objects.get(username="olive"))
    return client


def media(slug: str = "east") -> tuple[str, ...]:
    figures = hotpath.run(commands.show(slug))
    assert figures is not None
    return figures.settings.media


def was_there(pool: Pool, name: str = "fs-1") -> Switch:
    """Make a switch as the migration leaves those of the previous release."""
    return Switch.objects.create(pool=pool, name=name, kind="media")


def test_a_switch_is_a_proxy_unless_told_and_the_change_is_audited(pool: Pool) -> None:
    switch, _ = services.switch_create(actor=operator(), pool=pool, name="kam-1")
    assert (switch.kind, switch.kind_chosen, media()) == ("proxy", True, ())
    services.switch_configure(actor=operator(), switch=switch, kind="media", reason="FreeSWITCH")
    assert media() == ("kam-1",)
    entry = AuditEntry.objects.get(action="numbers.switch_configure")
    assert (entry.before, entry.after) == ({"kind": "proxy"}, {"kind": "media"})
    assert (entry.reason, entry.thing_label) == ("FreeSWITCH", "east kam-1")
    services.switch_configure(actor=operator(), switch=switch, kind="media")  # nothing differs
    assert AuditEntry.objects.filter(action="numbers.switch_configure").count() == 1
    services.switch_delete(actor=operator(), switch=Switch.objects.get())
    assert media() == ()


def test_a_kind_that_does_not_exist_changes_nothing(pool: Pool) -> None:
    switch, _ = services.switch_create(actor="test", pool=pool, name="kam-1")
    with pytest.raises(ValidationError):
        services.switch_configure(actor="test", switch=switch, kind="router")
    with pytest.raises(ValidationError):
        services.switch_create(actor="test", pool=pool, name="kam-2", kind="router")
    assert [(row.name, row.kind) for row in Switch.objects.all()] == [("kam-1", "proxy")]


def test_a_switch_that_was_only_heard_is_a_proxy_that_nobody_chose(pool: Pool) -> None:
    send("east", "add", "138", switch="kam-9", incarnation="b1")
    drain(pool)
    heard = Switch.objects.get()
    assert (heard.name, heard.kind, heard.kind_chosen) == ("kam-9", "proxy", False)
    made, _ = services.switch_create(actor="test", pool=pool, name="kam-9", kind="media")
    assert (made.pk, made.kind_chosen, media()) == (heard.pk, True, ("kam-9",))


def test_the_page_adds_a_switch_and_shows_its_token_once(pool: Pool, page: Client) -> None:
    shown = page.post(PAGE, {"name": "fs-1", "kind": "media"}).content.decode()
    assert "ps_" in shown
    assert media() == ("fs-1",)
    again = page.get(PAGE).content.decode()
    assert "fs-1" in again
    assert 'id="secret"' not in again
    refused = page.post(PAGE, {"name": "fs-1", "kind": "media"})
    assert refused.status_code == 422
    assert page.post(PAGE, {"name": "fs-2", "kind": "router"}).status_code == 422
    assert Switch.objects.count() == 1


def test_the_pages_ask_for_the_kind_of_switches_that_were_there_before(
    pool: Pool, page: Client
) -> None:
    switch = was_there(pool)
    for path in ("/pools/east/", PAGE):
        assert "data-not-chosen" in page.get(path).content.decode()
    moved = page.post(f"{PAGE}{switch.pk}/kind/", {"kind": "proxy"}, follow=True)
    assert "data-not-chosen" not in moved.content.decode()
    assert "data-not-chosen" not in page.get("/pools/east/").content.decode()
    switch.refresh_from_db()
    assert (switch.kind, switch.kind_chosen) == ("proxy", True)
    page.post(f"{PAGE}{switch.pk}/kind/", {"kind": "router"})
    switch.refresh_from_db()
    assert switch.kind == "proxy"
    other = was_there(make_pool("west"), "fs-2")
    assert page.post(f"{PAGE}{other.pk}/kind/", {"kind": "proxy"}).status_code == 404


def test_to_keep_what_was_there_is_a_choice_too(pool: Pool, page: Client) -> None:
    switch = was_there(pool)
    page.post(f"{PAGE}{switch.pk}/kind/", {"kind": "media"})
    switch.refresh_from_db()
    assert (switch.kind, switch.kind_chosen) == ("media", True)


def test_the_api_lists_adds_and_changes(pool: Pool, page: Client) -> None:
    url = "/api/v1/pools/east/switches"
    client, headers = page, {}  # only people can change it: no token may operate

    def ask(method: str, path: str, **body: Any) -> tuple[int, Any]:
        answer = client.generic(
            *(method, path),
            data=json.dumps(body) if body else "",
            content_type="application/json",
            headers=headers,
        )
        return answer.status_code, answer.json()

    status, made = ask("POST", url, name="kam-1")
    assert (status, made["kind"], made["kind_chosen"]) == (201, "proxy", True)
    assert made["token"].startswith("ps_")
    status, changed = ask("PATCH", f"{url}/kam-1", kind="media")
    assert (status, changed["kind"]) == (200, "media")
    assert "token" not in changed
    assert media() == ("kam-1",)
    assert [row["name"] for row in ask("GET", url)[1]] == ["kam-1"]
    assert ask("POST", url, name="kam-1")[0] == 422
    assert ask("POST", url, name="kam-2", kind="router")[0] == 422
    assert ask("PATCH", f"{url}/kam-1", kind="proxy", name="x")[0] == 422
    assert ask("PATCH", f"{url}/nobody", kind="proxy")[0] == 404
    client, headers = Client(), {"Authorization": f"Bearer {token_for(pool)}"}
    assert ask("GET", url)[0] == 200
    assert ask("POST", url, name="kam-3")[0] == 403
    assert ask("PATCH", f"{url}/kam-1", kind="proxy")[0] == 403
    assert media() == ("kam-1",)


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("pool", "switch", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_line_adds_sets_and_lists(pool: Pool) -> None:
    assert "ps_" in run("add", "east", "kam-1")
    assert "media" in run("set", "east", "kam-1", "--kind", "media")
    assert media() == ("kam-1",)
    was_there(pool)
    told = run("list", "east").splitlines()
    assert [line.split()[:2] for line in told] == [["fs-1", "media"], ["kam-1", "media"]]
    assert "not chosen yet" in told[0]
    for wrong in (("set", "east", "x", "--kind", "media"), ("add", "east", "y", "--kind", "z")):
        with pytest.raises(CommandError):
            run(*wrong)
    with pytest.raises(CommandError):
        run("list", "nowhere")


def test_the_admin_changes_the_kind_alone(pool: Pool) -> None:
    user = User.objects.create_superuser("root", password="x")
    user.is_operator = True
    user.save()
    client = Client()
    client.force_login(user)
    switch = was_there(pool)
    page = f"/admin/numbers/switch/{switch.pk}/change/"
    answer = client.post(page, {"kind": "proxy", "name": "renamed"})
    switch.refresh_from_db()
    assert (answer.status_code, switch.kind, switch.name) == (302, "proxy", "fs-1")
    assert AuditEntry.objects.filter(action="numbers.switch_configure").exists()
    assert client.get("/admin/numbers/switch/add/").status_code == 403


def test_rows_of_the_release_before_keep_what_they_had() -> None:
    with models_at("numbers", "0002_fewer_indexes") as old:
        pool = old.get_model("numbers", "Pool").objects.create(slug="old", name="Old")
        old.get_model("numbers", "Switch").objects.create(pool=pool, name="fs-1")
        migrate_forward("numbers")
        # The previous release is still running: its rows name no column of ours.
        late = old.get_model("numbers", "Pool").objects.create(slug="late", name="Late")
        old.get_model("numbers", "Switch").objects.create(pool=late, name="kam-1")
        assert set(Switch.objects.values_list("name", "kind", "kind_chosen")) == {
            ("fs-1", "media", False),
            ("kam-1", "proxy", False),
        }
        assert set(Pool.objects.values_list("slug", "added_by_script")) == {
            ("old", "lend"),
            ("late", "lend"),
        }
