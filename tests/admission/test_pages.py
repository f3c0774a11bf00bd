"""The pages of gates and batches: their answers, the permitted users, changes and refusals."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.access import principal_of_user
from poolsite.access.models import Account, AuditEntry, Grant, Membership, User
from poolsite.console import tables
from poolsite.history import Aggregate, source
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from queueing.admission import selectors, services
from queueing.admission.cards import CARD
from queueing.admission.models import Gate, MinuteSample, Task, TaskBatch
from tests.admission.people import done, drain, load_due, make_batch, make_gate, report, show

pytestmark = pytest.mark.django_db(transaction=True)

ACT = "/gates/tower/act/"


@pytest.fixture
def gate(clean_redis: RedisServer) -> Gate:
    """A gate of two slots that belongs to the account `evergreen`."""
    account = Account.objects.create(slug="evergreen", name="Evergreen")
    return make_gate(name="=Tower", account=account, cap=2)


@pytest.fixture
def operator() -> User:
    """An operator with the grant to act."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    return user


@pytest.fixture
def browser(operator: User) -> Client:
    client = Client()
    client.force_login(operator)
    return client


def owner_of(account: Account) -> Client:
    user = User.objects.create_user(f"owner-{account.slug}")
    Membership.objects.create(user=user, account=account, role="owner")
    client = Client()
    client.force_login(user)
    return client


def act(client: Client, **data: Any) -> str:
    """Send a verb. Return what the page then says, whether it was done or not."""
    response = client.post(ACT, data, follow=True)
    assert response.redirect_chain[-1][0] == "/gates/tower/"
    return str(next(iter(response.context["messages"])))


def upload(client: Client, rows: str, **given: Any) -> Any:
    """Send the form with the page's own window, in the reader's time."""
    window = client.get("/gates/tower/batches/").context["form"].initial
    data = {
        "name": "night",
        **{name: f"{at:%Y-%m-%dT%H:%M}" for name, at in window.items()},
        "file": SimpleUploadedFile("tasks.csv", rows.encode()),
        **given,
    }
    return client.post("/gates/tower/batches/", data)


def test_every_page_opens(gate: Gate, browser: Client) -> None:
    batch = make_batch(gate, ["d1", "d2", "d3"])
    report("d1")
    report("d2")
    report("d3")
    for path in (
        *("/gates/", "/gates/?q=tow", "/gates/?q=nothing", "/gates/new/", "/gates/tower/"),
        *("/gates/tower/samples/", "/gates/tower/batches/", f"/batches/{batch.pk}/"),
        *(f"/batches/{batch.pk}/?state=pending&q=d1&after=x", f"/batches/{batch.pk}/failed/"),
    ):
        response = browser.get(path)
        assert response.status_code == 200, path
        if not response.streaming and b"<html" in response.content:
            assert "{%" not in response.content.decode(), path
    page = browser.get("/gates/").content.decode()
    assert "2 / 2" in page
    assert 'data-figure="waiting">1<' in page


def test_a_gates_page_brings_the_state_of_its_live_tables(gate: Gate, browser: Client) -> None:
    held = hotpath.run(commands.acquire("tower", "worker"))
    hotpath.run(commands.acquire("tower", "second"))
    hotpath.run(commands.acquire("tower", "third"))
    first = browser.get("/gates/tower/").context["first_snapshots"]
    assert set(first) == {"admission.holders:tower", "admission.line:tower"}
    rows = first["admission.holders:tower"]["rows"]
    assert set(rows) == {"worker", "second"}
    assert rows["worker"]["token"] == held.token
    assert set(first["admission.line:tower"]["rows"]) == {"third"}


def test_pages_stand_while_redis_is_away(
    gate: Gate, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object, **_more: object) -> None:
        raise hotpath.Unavailable("away")

    monkeypatch.setattr(hotpath, "run", refuse)
    monkeypatch.setattr(hotpath, "run_batch", refuse)
    assert "No data" in browser.get("/gates/").content.decode()
    assert "can't be read right now" in browser.get("/gates/tower/").content.decode()


def test_a_gate_is_made_and_bad_ones_are_not(clean_redis: RedisServer, browser: Client) -> None:
    good = {"name": "Tower", "slug": "tower", "cap": "60", "permit_seconds": "300 s"}
    for bad in ({"cap": "0"}, {"cap": "-1"}, {"cap": "1000001"}, {"slug": "A b"}, {"name": ""}):
        assert browser.post("/gates/new/", {**good, **bad}).status_code == 422
    assert not Gate.objects.exists()
    assert browser.post("/gates/new/", good)["Location"] == "/gates/tower/"
    assert show().cap == 60
    assert browser.post("/gates/new/", good).status_code == 422  # the slug is taken
    assert Gate.objects.count() == 1


def test_the_cap_is_changed_in_both_directions(gate: Gate, browser: Client) -> None:
    for cap in (5, 1):
        assert str(cap) in act(browser, verb="resize", cap=cap)
        gate.refresh_from_db()
        assert (gate.cap, show().cap) == (cap, cap)
    assert AuditEntry.objects.filter(action="admission.gate_configure").count() == 2


@pytest.mark.parametrize("cap", ["0", "-3", "1000001", "", "many", "9" * 40])
def test_a_bad_cap_is_refused(gate: Gate, browser: Client, cap: str) -> None:
    assert act(browser, verb="resize", cap=cap)
    assert act(browser, verb="pin", cap=cap, reason="r")
    gate.refresh_from_db()
    assert (gate.cap, gate.pinned_cap, show().cap) == (2, None, 2)


def test_an_adaptive_cap_is_pinned_and_let_go(gate: Gate, browser: Client) -> None:
    gate = services.gate_configure(
        actor="test", gate=gate, adaptive=True, adaptive_min=1, adaptive_max=9
    )
    assert "Enter a short reason." in act(browser, verb="pin", cap=7)  # without a reason
    act(browser, verb="pin", cap=7, reason="a quiet night")
    assert (show().cap, show().settings.adaptive) == (7, False)
    assert "pinned" in act(browser, verb="resize", cap=3)
    assert show().cap == 7
    act(browser, verb="unpin")
    assert show().settings.adaptive


def test_a_gate_is_paused_with_a_reason_and_resumed(gate: Gate, browser: Client) -> None:
    act(browser, verb="pause")
    assert show().status == "open"
    act(browser, verb="pause", reason="storm <b>")
    assert show().status == "paused"
    assert "storm &lt;b&gt;" in browser.get("/gates/tower/").content.decode()
    act(browser, verb="resume")
    assert show().status == "open"
    assert act(browser, verb="explode", reason="r") == "Action not found."


def test_a_holder_is_freed_once_and_only_by_its_token(gate: Gate, browser: Client) -> None:
    permit = hotpath.run(commands.acquire("tower", "worker"))
    free = {"verb": "free", "holder": "worker", "reason": "stuck"}
    act(browser, **free, token="x")
    act(browser, **free, token=permit.token + 1)
    act(browser, **{**free, "reason": ""}, token=permit.token)
    assert show().used == 1
    assert "worker" in act(browser, **free, token=permit.token)
    assert (show().used, show().freed) == (0, 1)
    act(browser, **free, token=permit.token)
    assert show().freed == 1


def test_a_recovering_gate_is_opened_early_with_a_reason(gate: Gate, browser: Client) -> None:
    hotpath.run(commands.acquire("tower", "worker"))
    drain(gate)
    hotpath.client().flushall()
    source("admission.gate").behind(Aggregate(gate.tag, gate.pk), "lost")
    assert show().status == "recovering"
    assert "Open early" in browser.get("/gates/tower/").content.decode()
    act(browser, verb="open_early")
    assert show().status == "recovering"
    act(browser, verb="open_early", reason="the system was restarted")
    assert show().status == "open"


def test_a_foreign_tenant_finds_nothing_and_an_owner_changes_no_gate(gate: Gate) -> None:
    batch = make_batch(gate, ["d1"], load=False)
    other = owner_of(Account.objects.create(slug="other", name="Other"))
    for path in (
        *("/gates/tower/", "/gates/tower/samples/", "/gates/tower/batches/"),
        *(f"/batches/{batch.pk}/", f"/batches/{batch.pk}/failed/"),
    ):
        assert other.get(path).status_code == 404, path
    for path in (ACT, f"/batches/{batch.pk}/act/", "/gates/tower/batches/"):
        assert other.post(path, {"verb": "pause", "reason": "r"}).status_code == 404, path
    assert b"Tower" not in other.get("/gates/").content
    assert gate.account is not None
    own = owner_of(gate.account)
    assert b"Tower" in own.get("/gates/").content
    assert b"free-holder" not in own.get("/gates/tower/").content
    assert own.post(ACT, {"verb": "pause", "reason": "r"}).status_code == 403
    assert own.get(f"/batches/{2**70}/").status_code == 404
    assert show().status == "open"


def test_samples_are_the_last_hour_with_gaps(gate: Gate, browser: Client) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    for minutes, used in ((3, 2), (90, 9)):
        MinuteSample.objects.create(
            gate=gate, minute=now - timedelta(minutes=minutes), cap=2, used=used
        )
    found = browser.get("/gates/tower/samples/").json()
    assert len(found["at"]) == len(found["values"]["used"]) == 60
    assert [value for value in found["values"]["used"] if value is not None] == [2]


def test_counters_are_those_of_the_last_hour(gate: Gate, browser: Client) -> None:
    now = timezone.now().replace(second=0, microsecond=0)
    for minutes, refused in ((3, 2), (20, 5), (60, 9)):  # the oldest is of the minute before
        MinuteSample.objects.create(
            gate=gate, minute=now - timedelta(minutes=minutes), refused=refused, overrun=1
        )
    page = browser.get("/gates/tower/")
    assert page.context["hour"] == {"refused": 7, "expired": 0, "overrun": 2}
    assert page.context["page"]["hour"] == page.context["hour"]


def test_a_batch_is_uploaded_or_nothing_is(gate: Gate, browser: Client) -> None:
    twice = upload(browser, "d1,a\nd1,b\nd2,c\n")
    assert twice.status_code == 422
    assert "Row 2 (d1)" in twice.content.decode()
    for bad in ({"closes_at": "2001-01-01T00:00"}, {"name": " "}, {"opens_at": "soon"}):
        assert upload(browser, "d1,a\n", **bad).status_code == 422
    assert not TaskBatch.objects.exists()
    made = upload(browser, "d1,a\nd1,b\nd2,c\n", skip_bad="on")
    batch = TaskBatch.objects.get()
    assert made["Location"] == f"/batches/{batch.pk}/"
    assert (batch.total, batch.created_by) == (2, "op")


def test_a_batch_that_no_worker_loads_says_so(gate: Gate, browser: Client) -> None:
    batch = make_batch(gate, ["d1"], load=False)
    waits = "data-waits-for-worker hidden"
    assert waits not in browser.get(f"/batches/{batch.pk}/").content.decode()
    load_due()
    assert waits in browser.get(f"/batches/{batch.pk}/").content.decode()


def test_a_batch_is_paused_resumed_and_cancelled(gate: Gate, browser: Client) -> None:
    batch = make_batch(gate, ["d1", "d2"])
    path = f"/batches/{batch.pk}/act/"
    for verb in ("pause", "cancel", "explode"):
        browser.post(path, {"verb": verb})
    batch.refresh_from_db()
    assert (batch.paused_at, batch.cancelled_at) == (None, None)
    browser.post(path, {"verb": "pause", "reason": "lunch"})
    assert report("d1").task is None
    browser.post(path, {"verb": "resume"})
    assert report("d1").task is not None
    browser.post(path, {"verb": "cancel", "reason": "wrong file"})
    assert report("d2").task is None
    assert "wrong file" in browser.get(f"/batches/{batch.pk}/").content.decode()
    browser.post(path, {"verb": "cancel", "reason": "again"})
    batch.refresh_from_db()
    assert batch.cancelled_reason == "wrong file"


def test_failed_devices_come_as_csv_that_a_spreadsheet_cannot_run(
    gate: Gate, browser: Client
) -> None:
    batch = make_batch(gate, ["d1", "d2"])
    Task.objects.filter(batch=batch, device="d1").update(payload='=cmd("x")')
    report("d1", done(report("d1"), ok=False))
    drain(gate)
    rows = b"".join(browser.get(f"/batches/{batch.pk}/failed/").streaming_content).decode()
    assert rows.splitlines()[1].startswith('d1,"\'=cmd(""x"")",failed,device,1,')
    assert "d2" not in rows


def test_the_tasks_of_a_batch_are_filtered_and_paged_both_ways(
    gate: Gate, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    batch = make_batch(gate, ["d1", "d2", "d3"])
    report("d1", done(report("d1"), ok=False))
    drain(gate)
    path = f"/batches/{batch.pk}/"

    def devices(address: str) -> list[str]:
        shown = browser.get(path + address).context
        return [task.device for task in shown["rows"]]

    assert devices("") == ["d1", "d2"]
    following = browser.get(path).context["next_url"]
    assert devices(following) == ["d3"]
    assert devices(browser.get(path + following).context["back_url"]) == ["d1", "d2"]
    assert devices("?state=failed") == ["d1"]
    assert devices("?q=d3") == ["d3"]
    assert devices("?sort=-device") == ["d3", "d2"]


def test_the_batches_of_a_gate_are_found_filtered_sorted_and_paged(
    gate: Gate, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "PAGE_ROWS", 2)
    made = {
        name: make_batch(gate, ["d1"], name=name) for name in ("night", "noon", "day", "Noon 2")
    }
    now = timezone.now()
    early = now + timedelta(minutes=30)
    TaskBatch.objects.filter(pk=made["day"].pk).update(opens_at=early, failed=7)
    services.batch_pause(actor="test", batch=made["noon"], reason="storm")
    services.batch_cancel(actor="test", batch=made["night"], reason="wrong file")
    path = "/gates/tower/batches/"

    def names(address: str) -> list[str]:
        return [row["batch"].name for row in browser.get(path + address).context["rows"]]

    assert names("") == ["day", "Noon 2"]  # the newest window first
    following = browser.get(path).context["next_url"]
    assert names(following) == ["noon", "night"]
    assert names(browser.get(path + following).context["back_url"]) == ["day", "Noon 2"]
    assert names("?sort=-failed")[0] == "day"
    assert names("?q=noon") == ["Noon 2", "noon"]
    shown = {state: names(f"?state={state}") for state in TaskBatch.State.values}
    assert {state: found for state, found in shown.items() if found} == {
        "scheduled": ["day"],
        "open": ["Noon 2"],
        "paused": ["noon"],
        "cancelled": ["night"],
    }
    page = browser.get(f"{path}?q=noon").content.decode()
    assert "Paused (1)" in page
    assert "Cancelled (0)" in page
    assert "No matches" in browser.get(f"{path}?q=nothing").content.decode()
    lines = browser.get(f"{path}?state=paused&format=csv").content.decode().splitlines()
    assert lines[0].lstrip("\ufeff").startswith("name,state,window,closes,")
    assert [line.split(",")[:2] for line in lines[1:]] == [["noon", "paused"]]


def test_every_state_that_a_batch_is_shown_in_can_be_chosen(gate: Gate) -> None:
    batch = make_batch(gate, ["d1"], load=False)
    now = timezone.now()
    ends: list[dict[str, Any]] = [{}, {"paused_at": now}, {"cancelled_at": now}]
    ends += [{"paused_at": now, "finished_at": now}, {"opens_at": now + timedelta(minutes=5)}]
    for state in TaskBatch.State.values:
        for given in ends:
            clear = {"paused_at": None, "cancelled_at": None, "finished_at": None}
            opens = {"opens_at": now - timedelta(minutes=5)}
            TaskBatch.objects.update(**{"state": state, **clear, **opens, **given})
            batch.refresh_from_db()
            assert selectors.state_counts(gate) == {selectors.state_of(batch): 1}, (state, given)


def test_the_overview_has_the_gates(gate: Gate, operator: User, browser: Client) -> None:
    hotpath.run(commands.acquire("tower", "worker"))
    card = CARD.load(principal_of_user(operator))
    assert card is not None
    assert card.rows[0]["cells"][0]["text"] == "1 / 2"
    assert len(card.columns) == 1 + len(card.rows[0]["cells"])  # the name's column has a header too
    assert browser.get("/overview/").status_code == 200
