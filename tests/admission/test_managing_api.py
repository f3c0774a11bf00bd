"""The gates' API for people: what it changes, lists and refuses, and to whom."""

from typing import Any

import pytest
from django.db.models import BooleanField, IntegerField
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import Account, AuditEntry, User
from poolsite.access.services import grant_set, user_create
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.models import Gate
from queueing.admission.services.gates import SETTINGS
from tests.admission.people import (
    SLUG,
    done,
    drain,
    make_batch,
    make_gate,
    report,
    show,
    token_for,
)
from tests.numbers.people import tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
URL = f"/api/v1/gates/{SLUG}"
JSON = "application/json"
# Each action with a complete body.
ACTIONS = {
    "resize": {"cap": 7, "reason": "r"},
    "pin": {"cap": 7, "reason": "r"},
    "unpin": {"reason": "r"},
    "pause": {"reason": "r"},
    "resume": {"reason": "r"},
    "open": {"reason": "r"},
    "holders/h/free": {"token": 10**15, "reason": "r"},
}


def operator_client(*, operate: bool = True) -> Client:
    user = user_create(username="op", actor="test", is_operator=True)
    if operate:
        grant_set(user=user, name="operate", actor="test")
    client = Client()
    client.force_login(User.objects.get(pk=user.pk))
    return client


@pytest.fixture
def op() -> Client:
    """An operator with the grant to act."""
    return operator_client()


@pytest.fixture
def gate() -> Gate:
    """A gate of the account `mine`."""
    return make_gate(account=tenant("mine").account, cap=2)


def post(client: Client, path: str, body: Any = None, *, url: str = URL) -> Any:
    return client.post(f"{url}/{path}" if path else url, body or {}, content_type=JSON)


def patch(client: Client, body: Any) -> Any:
    return client.patch(URL, body, content_type=JSON)


def kind(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["type"]


def acquire(*names: str) -> list[int]:
    return [hotpath.run(commands.acquire(SLUG, name)).token for name in names]


def last_reason(action: str) -> str:
    return AuditEntry.objects.get(action=action).reason


# -- a gate --------------------------------------------------------------------------------------


def test_a_gate_is_created_with_settings_and_an_account(op: Client) -> None:
    account = Account.objects.create(slug="acme", name="Acme")
    given = {"slug": SLUG, "account": "acme", "cap": 5, "fair": False, "reason": "first"}
    made = post(op, "", given, url="/api/v1/gates")
    assert made.status_code == 201, made.content
    told = made.json()
    assert (told["account"], told["name"], told["key"]) == ("acme", SLUG, SLUG)
    assert (told["cap"], told["cap_now"], told["fair"], told["status"]) == (5, 5, False, "open")
    assert Gate.objects.get(slug=SLUG).account == account
    assert show().cap == 5
    assert last_reason("admission.gate_create") == "first"
    assert op.get(URL).json() == told
    assert op.get("/api/v1/gates").json() == [told]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"slug": "Bad Slug"},
        {"slug": "used"},
        {"slug": "new", "account": "none"},
        {"slug": "new", "cap": 0},
        {"slug": "new", "cap": "5"},
        {"slug": "new", "key": "used"},
        {"slug": "new", "name": "a\u0000b"},
        {"slug": "new", "colour": "red"},
        {"slug": "new", "margin_seconds": 300},
    ],
)
def test_a_bad_gate_is_not_created(op: Client, given: dict[str, Any]) -> None:
    make_gate("used")
    answer = post(op, "", given, url="/api/v1/gates")
    assert kind(answer) == (422, "malformed"), answer.content
    assert Gate.objects.count() == 1


def test_every_setting_is_told_and_can_be_changed(op: Client, gate: Gate) -> None:
    before = op.get(URL).json()
    for name in SETTINGS:
        field, value = Gate._meta.get_field(name), before[name]
        if isinstance(field, BooleanField):
            other: Any = not value
        else:
            other = value + 1 if isinstance(field, IntegerField) else "other"
        told = patch(op, {name: other, "reason": f"of {name}"})
        assert told.status_code == 200, (name, told.content)
        assert told.json()[name] == other
        entry = AuditEntry.objects.filter(action="admission.gate_configure").latest("pk")
        assert (entry.reason, set(entry.after or {})) == (f"of {name}", {name})
    assert show().settings.permit_seconds == before["permit_seconds"] + 1


@pytest.mark.parametrize(
    "given",
    [
        {"cap": 0},
        {"cap": 1_000_001},
        {"cap": None},
        {"cap": "9"},
        {"fair": "yes"},
        {"permit_seconds": 10},
        {"longest_seconds": 2**31},
        {"adaptive_min": 61},
        {"key": "east"},
        {"name": ""},
        {"description": "\u0000"},
        {"slug": "other"},
        {"cap": 5, "reason": 7},
    ],
)
def test_a_bad_setting_changes_nothing(op: Client, gate: Gate, given: dict[str, Any]) -> None:
    make_gate("east", account=gate.account)
    before = show()
    answer = patch(op, given)
    assert kind(answer) == (422, "malformed"), answer.content
    assert show().seq == before.seq
    assert not AuditEntry.objects.filter(action="admission.gate_configure").exists()


def test_a_limit_is_resized_pinned_and_let_go(op: Client, gate: Gate) -> None:
    told = post(op, "resize", {"cap": 9, "reason": "more"}).json()
    assert (told["cap"], told["cap_now"], show().cap) == (9, 9, 9)
    assert kind(post(op, "pin", {"cap": 4})) == (422, "malformed")  # without a reason
    told = post(op, "pin", {"cap": 4, "reason": "carrier"}).json()
    assert (told["cap"], told["cap_now"], told["pinned_cap"]) == (9, 4, 4)
    assert kind(post(op, "resize", {"cap": 3})) == (409, "gate-refused")
    assert show().cap == 4
    told = post(op, "unpin").json()
    assert (told["cap_now"], told["pinned_cap"], show().cap) == (9, None, 9)
    for bad in ({"cap": 0}, {"cap": 10**6 + 1}, {"cap": "5"}, {}):
        assert kind(post(op, "resize", bad)) == (422, "malformed")
    assert last_reason("admission.gate_configure") == "more"


def test_a_gate_is_paused_resumed_and_opened_early(op: Client, gate: Gate) -> None:
    assert kind(post(op, "pause")) == (422, "malformed")
    told = post(op, "pause", {"reason": "works"}).json()
    assert (told["status"], told["paused_by"], told["paused_reason"]) == ("paused", "op", "works")
    assert show().status == "paused"
    assert post(op, "resume").json()["paused_at"] is None
    acquire("a")
    drain(gate)
    hotpath.client().flushall()
    assert op.get(URL).json()["status"] == "missing"
    services.watch_gates(0, 1)
    assert op.get(URL).json()["status"] == "recovering"
    assert kind(post(op, "open")) == (422, "malformed")
    assert post(op, "open", {"reason": "no one is left"}).json()["status"] == "open"
    assert last_reason("admission.gate_open_early") == "no one is left"


def test_a_gate_is_deleted_once_nothing_holds_it(op: Client, gate: Gate) -> None:
    token = acquire("a")[0]
    for url in (URL, f"{URL}?reason="):
        assert kind(op.delete(url)) == (422, "malformed")
    assert kind(op.delete(f"{URL}?reason=old")) == (409, "gate-refused")
    assert show().status == "open"
    assert hotpath.run(commands.release(SLUG, "a", token)).done
    assert op.delete(f"{URL}?reason=old").status_code == 204
    assert kind(op.get(URL)) == (404, "unknown-gate")
    assert hotpath.run(commands.show(SLUG)) is None
    assert last_reason("admission.gate_delete") == "old"


# -- permits and the line ------------------------------------------------------------------------


def pages(client: Client, url: str) -> list[list[Any]]:
    """Return every page of a list."""
    found, cursor = [], ""
    for _ in range(20):
        told = client.get(f"{url}&cursor={cursor}").json()
        found.append(told["data"])
        cursor = told["next"]
        if cursor is None:
            return found
    raise AssertionError("the list does not end")


def test_permits_are_listed_by_cursor_whatever_ends_meanwhile(op: Client, gate: Gate) -> None:
    services.gate_resize(actor="test", gate=gate, cap=5)
    tokens = acquire(*"abcde")
    parts = pages(op, f"{URL}/holders?limit=2")
    assert [[row["holder"] for row in part] for part in parts] == [["a", "b"], ["c", "d"], ["e"]]
    first = op.get(f"{URL}/holders?limit=2").json()
    assert hotpath.run(commands.release(SLUG, "a", tokens[0])).done
    after = op.get(f"{URL}/holders?limit=2&cursor={first['next']}").json()
    assert [row["holder"] for row in after["data"]] == ["c", "d"]
    assert op.get(f"{URL}/holders?limit=4").json()["next"] is None


def test_who_waits_is_listed_in_order(op: Client, gate: Gate) -> None:
    acquire(*"abcdef")  # the limit is 2
    parts = pages(op, f"{URL}/line?limit=3")
    assert [[row["holder"] for row in part] for part in parts] == [["c", "d", "e"], ["f"]]


@pytest.mark.parametrize("part", ["holders", "line"])
def test_a_bad_list_request_is_refused_and_a_lost_gate_lists_nothing(
    op: Client, gate: Gate, part: str
) -> None:
    for query in ("cursor=x", "cursor=MTIz", "cursor=%00", "limit=0", "limit=201", "offset=3"):
        assert kind(op.get(f"{URL}/{part}?{query}")) == (422, "malformed"), query
    hotpath.client().flushall()
    assert op.get(f"{URL}/{part}").json() == {"data": [], "next": None}


def test_a_slot_is_freed_by_the_token_that_was_looked_at(op: Client, gate: Gate) -> None:
    make_batch(gate, ["d"])
    task = report("d").task
    held = op.get(f"{URL}/holders/@d").json()
    assert (held["holder"], held["task"]) == ("@d", f"{SLUG}.{task}")
    body = {"token": held["token"], "reason": "replaced"}
    other = post(op, "holders/@d/free", {**body, "token": held["token"] + 1})
    assert kind(other) == (409, "not-held")
    for bad in ({**body, "reason": " "}, {"token": held["token"]}, {"reason": "x"}):
        assert kind(post(op, "holders/@d/free", bad)) == (422, "malformed")
    assert show().used == 1
    assert post(op, "holders/@d/free", body).status_code == 204
    assert (show().used, show().freed) == (0, 1)
    assert kind(op.get(f"{URL}/holders/@d")) == (404, "unknown-permit")
    assert AuditEntry.objects.filter(action="admission.permit_free", reason="replaced").exists()


def test_an_anonymous_permit_is_found_by_its_token(op: Client, gate: Gate) -> None:
    hotpath.run(commands.incr(SLUG))
    name = op.get(f"{URL}/holders").json()["data"][0]["holder"]
    told = op.get(f"{URL}/holders/%23{name[1:]}").json()
    body = {"token": told["token"], "reason": "stuck"}
    assert post(op, f"holders/%23{name[1:]}/free", body).status_code == 204
    assert show().used == 0


def test_the_last_hour_is_told_by_the_minute(op: Client, gate: Gate) -> None:
    acquire("a")
    services.sample_take()
    (sample,) = op.get(f"{URL}/samples").json()
    assert (sample["used"], sample["cap"]) == (1, 2)


# -- batches and tasks ---------------------------------------------------------------------------


def test_batches_are_filtered_and_listed_by_cursor(op: Client, gate: Gate) -> None:
    made = [make_batch(gate, ["a", "b"], name=f"night {place}") for place in range(3)]
    services.batch_pause(actor="test", batch=made[0], reason="wait")
    parts = pages(op, f"{URL}/batches?limit=2")
    assert [[row["name"] for row in part] for part in parts] == [
        ["night 2", "night 1"],
        ["night 0"],
    ]
    paused = op.get(f"{URL}/batches?state=paused").json()["data"]
    assert [(row["id"], row["state"]) for row in paused] == [(made[0].pk, "paused")]
    named = op.get(f"{URL}/batches?name=GHT%201").json()["data"]
    assert [row["id"] for row in named] == [made[1].pk]
    for query in ("state=gone", "colour=red", "cursor=x", "name=%00"):
        assert kind(op.get(f"{URL}/batches?{query}")) == (422, "malformed"), query


def test_tasks_and_failed_devices_are_listed(op: Client, gate: Gate) -> None:
    batch = make_batch(gate, ["a", "b", "c"])
    report("a", done(report("a"), ok=False))
    report("b", done(report("b")))
    url = f"{URL}/batches/{batch.pk}"
    failed = op.get(f"{url}/failed").json()["data"]  # updates SQL
    assert [(row["device"], row["state"], row["payload"]) for row in failed] == [
        ("a", "failed", "do a")
    ]
    parts = pages(op, f"{url}/tasks?limit=2")
    assert [[row["device"] for row in part] for part in parts] == [["a", "b"], ["c"]]
    assert parts[0][0]["task"] == f"{SLUG}.{batch.tasks.get(device='a').pk}"
    for query, found in (("state=done", ["b"]), ("device=c", ["c"]), ("state=done&device=a", [])):
        rows = op.get(f"{url}/tasks?{query}").json()["data"]
        assert [row["device"] for row in rows] == found
    for query in ("state=gone", "colour=red"):
        assert kind(op.get(f"{url}/tasks?{query}")) == (422, "malformed")
    for part in ("tasks", "failed"):
        assert kind(op.get(f"{URL}/batches/{2**70}/{part}")) == (404, "unknown-batch")


@pytest.mark.parametrize("paused", [False, True])
def test_a_cancelled_batch_says_so_at_once(op: Client, gate: Gate, *, paused: bool) -> None:
    batch = make_batch(gate, ["a", "b"])
    report("a")
    if paused:
        assert post(op, f"batches/{batch.pk}/pause?reason=wait").json()["state"] == "paused"
    told = post(op, f"batches/{batch.pk}/cancel?reason=mistake").json()
    assert told["state"] == "cancelled"
    assert [its.status for its in show().batches] == ["cancelled"]
    for url in (f"{URL}/batches/{batch.pk}", f"{URL}/batches?state=cancelled"):
        found = op.get(url).json()
        assert found.get("data", [found])[0]["state"] == "cancelled"
    drain(gate)
    assert op.get(f"{URL}/batches?state=paused").json()["data"] == []


# -- rights --------------------------------------------------------------------------------------


def changes(client: Client) -> dict[str, Any]:
    """Return every operation that changes the gate."""
    return {
        "patch": patch(client, {"cap": 9}),
        "delete": client.delete(f"{URL}?reason=old"),
        **{path: post(client, path, body) for path, body in ACTIONS.items()},
    }


def test_only_an_operator_with_the_grant_changes_a_gate(gate: Gate) -> None:
    before = show()
    owner, looker = Client(), operator_client(operate=False)
    owner.force_login(User.objects.get(username="mine-owner"))
    actions = ["admission.view", "admission.use", "admission.batch"]
    secret = token_for(gate, account=gate.account, actions=actions)
    token = Client(headers={"authorization": f"Bearer {secret}"})
    for client in (owner, looker, token):
        assert {part: kind(answer) for part, answer in changes(client).items()} == dict.fromkeys(
            ("patch", "delete", *ACTIONS), (403, "forbidden")
        )
        made = post(client, "", {"slug": "new", "account": "none"}, url="/api/v1/gates")
        assert kind(made) == (403, "forbidden")
    after = show()
    assert (after.seq, after.cap) == (before.seq, before.cap)
    assert Gate.objects.count() == 1


def test_a_foreign_tenant_finds_no_gate(gate: Gate) -> None:
    batch = make_batch(gate, ["a"])
    secret = token_for(account=tenant("other").account, resources=["*"])
    client = Client(headers={"authorization": f"Bearer {secret}"})
    parts = ("", "/holders", "/holders/a", "/line", "/samples", f"/batches/{batch.pk}/tasks")
    answers = [client.get(URL + part) for part in (*parts, f"/batches/{batch.pk}/failed")]
    for answer in (*answers, *changes(client).values()):
        assert kind(answer) == (404, "unknown-gate")
    assert show().cap == 2
    assert client.get("/api/v1/gates").json() == []
