"""Signed permits: who gets one, what it contains, and what happens to a gate's keys."""

import base64
import io
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx
import orjson
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.test import Client

from integrations.poolsite_client import InvalidPermit, Verifier
from poolsite import access
from poolsite.access.models import AuditEntry, Grant, User
from poolsite.api import directory
from queueing.admission import services
from queueing.admission.errors import AdmissionError
from queueing.admission.models import Gate
from tests.admission.people import make_batch, make_gate, token_for
from tests.admission.test_api_hot import Caller
from tests.numbers.people import in_thread
from tests.support.waiting import eventually, patient

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ACQUIRE = "/api/v1/gates/tower/acquire"
RENEW = "/api/v1/gates/tower/renew"


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    from poolsite.asgi import application

    monkeypatch.setattr(directory, "FRESH_SECONDS", -1.0)
    monkeypatch.setattr(directory, "OLD_SECONDS", -1.0)  # each request reads SQL again
    monkeypatch.setattr(directory, "PATIENCE_SECONDS", 60.0)
    transport = httpx.ASGITransport(app=application)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        yield client


@pytest.fixture
async def gate() -> Gate:
    return await in_thread(make_gate)(cap=2)


@pytest.fixture
async def caller(client: httpx.AsyncClient, gate: Gate) -> Caller:
    return Caller(client, await in_thread(token_for)(gate))


async def new_key(gate: Gate) -> str:
    key: str = await in_thread(services.gate_key_new)(actor="test", gate=gate)
    return key


async def test_without_a_key_no_answer_is_signed(caller: Caller, gate: Gate) -> None:
    got = (await caller.post(ACQUIRE, {"holder": "h"})).json()
    assert got["granted"]
    assert "permit" not in got


async def test_acquire_its_repeat_and_renew_carry_a_permit_that_the_key_alone_verifies(
    caller: Caller, gate: Gate
) -> None:
    verifier = Verifier([await new_key(gate)])
    got: dict[str, Any] = {}
    for path in (ACQUIRE, ACQUIRE, RENEW):
        token = {"token": got["token"]} if path == RENEW else {}
        got = (await caller.post(path, {"holder": "h", **token})).json()
        permit = verifier.check(got["permit"], gate="tower")
        assert (permit.gate, permit.holder, permit.task) == ("tower", "h", None)
        assert (permit.token, permit.deadline_us) == (got["token"], got["deadline"])
        assert 290_000 < got["remaining_ms"] <= 300_000
    full = [(await caller.post(ACQUIRE, {"holder": name})).json() for name in "ij"]
    assert ["permit" in answer for answer in full] == [True, False]


async def test_a_permit_is_signed_with_the_weight_that_the_gate_counts(
    caller: Caller, gate: Gate
) -> None:
    verifier = Verifier([await new_key(gate)])
    got = (await caller.post(ACQUIRE, {"holder": "h", "weight": 2})).json()
    token = {"holder": "h", "token": got["token"]}
    renewed = (await caller.post(RENEW, token)).json()
    wrong = (await caller.post(RENEW, {**token, "weight": 1})).json()  # the gate's own value counts
    for answer in (got, renewed, wrong):
        assert verifier.check(answer["permit"], gate="tower").weight == 2
    await caller.post("/api/v1/gates/tower/release", token)
    plain = (await caller.post(ACQUIRE, {"holder": "i"})).json()["permit"]
    assert verifier.check(plain, gate="tower").weight == 1
    payload = plain.split(".")[1]
    assert "weight" not in orjson.loads(
        base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))
    )


async def test_a_devices_task_is_signed_with_its_deadline_less_the_margin(
    caller: Caller, gate: Gate
) -> None:
    verifier = Verifier([await new_key(gate)])
    await in_thread(make_batch)(gate, ["a"])
    told: dict[str, Any] = {}
    for renew in (False, False, True):
        body = {"renew": told["token"]} if renew else {}
        told = (await caller.post("/api/v1/devices/a/report", body)).json()
        permit = verifier.check(told["permit"], gate="tower")
        assert (permit.holder, permit.task) == ("@a", told["task"])
        assert (permit.token, permit.deadline_us) == (told["token"], told["deadline"])
        assert 280_000 < told["remaining_ms"] <= 290_000
    nothing = (await caller.post("/api/v1/devices/b/report")).json()
    assert "permit" not in nothing


async def test_a_later_key_signs_once_it_is_put_into_use(caller: Caller, gate: Gate) -> None:
    first, second = await new_key(gate), await new_key(gate)

    async def signed() -> str:
        return str((await caller.post(ACQUIRE, {"holder": "h"})).json()["permit"])

    before = await signed()
    Verifier([first]).check(before, gate="tower")
    await in_thread(services.gate_key_use)(actor="test", gate=gate)
    after = await signed()
    Verifier([second]).check(after, gate="tower")
    with pytest.raises(InvalidPermit, match="wrong signature"):
        Verifier([first]).check(after, gate="tower")
    both = Verifier([second, first])
    assert both.check(before, gate="tower") == both.check(after, gate="tower")
    await in_thread(services.gate_key_remove)(actor="test", gate=gate, reason="leaked")
    assert "permit" not in (await caller.post(ACQUIRE, {"holder": "h"})).json()


async def test_another_gates_permit_is_refused(client: httpx.AsyncClient) -> None:
    gates = [await in_thread(make_gate)(slug) for slug in ("first", "second")]
    keys = [await new_key(gate) for gate in gates]
    caller = Caller(client, await in_thread(token_for)(*gates))
    got = (await caller.post("/api/v1/gates/first/acquire", {"holder": "h"})).json()["permit"]
    with pytest.raises(InvalidPermit, match="wrong signature"):
        Verifier([keys[1]]).check(got, gate="second")
    with pytest.raises(InvalidPermit, match="wrong gate"):
        Verifier(keys).check(got, gate="second")


async def test_a_foreign_tenants_token_gets_no_permit(client: httpx.AsyncClient) -> None:
    from tests.numbers.people import tenant

    mine, other = await in_thread(tenant)("mine"), await in_thread(tenant)("other")
    gate = await in_thread(make_gate)(account=mine.account)
    await new_key(gate)
    secret = await in_thread(token_for)(account=other.account, resources=["*"])
    answer = await Caller(client, secret).post(ACQUIRE, {"holder": "h"})
    assert (answer.status_code, "permit" in answer.json()) == (404, False)


@pytest.mark.parametrize("sql", ["answers", "fails", "hangs"])
async def test_a_key_that_nobody_asked_for_in_30_seconds_is_read_anew_while_sql_answers(
    monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    values, asked, free = iter(["old", "new"]), [], threading.Event()

    def load(name: str) -> str:
        asked.append(name)
        if len(asked) > 1 and sql == "fails":
            raise DatabaseError("away")
        if len(asked) > 1 and sql == "hangs":
            free.wait()
        return next(values)

    known: directory.Directory[str] = directory.DirectoryKind("tests", load).directory()
    assert await known.get("x") == "old"
    monkeypatch.setattr(directory, "FRESH_SECONDS", -1.0)
    monkeypatch.setattr(directory, "OLD_SECONDS", -1.0)
    monkeypatch.setattr(directory, "PATIENCE_SECONDS", 0.0 if sql == "hangs" else patient(30))
    try:
        assert await known.get("x") == ("new" if sql == "answers" else "old")
    finally:
        free.set()
    await eventually(lambda: not known._asking)
    assert asked == ["x", "x"]


# -- keys ----------------------------------------------------------------------------------------


def operator() -> User:
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    return user


def test_a_key_is_shown_once_on_its_page_and_audited_without_it() -> None:
    gate = make_gate()
    browser = Client()
    browser.force_login(operator())
    page = browser.post("/gates/tower/key/", {"do": "new"})
    gate.refresh_from_db()
    assert gate.signing_key in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    settings = browser.get("/gates/tower/settings/").content.decode()
    assert gate.signing_key not in settings
    assert gate.signing_prints["signs"] in settings
    entry = AuditEntry.objects.get(action="admission.gate_key_new")
    told = f"{entry.before} {entry.after}"
    assert gate.signing_key not in told
    assert gate.signing_prints["signs"] in told


def test_keys_are_changed_on_the_page_by_the_api_and_by_the_command() -> None:
    gate = make_gate()
    browser = Client()
    browser.force_login(operator())
    url = "/api/v1/gates/tower/key"
    made = browser.post(f"{url}/new").json()
    gate.refresh_from_db()
    assert made == {"key": gate.signing_key, **gate.signing_prints}
    out = io.StringIO()
    call_command("gate", "key", "tower", "new", stdout=out)
    second = out.getvalue().split()[-1]
    gate.refresh_from_db()
    assert (gate.signing_key, gate.signs_with) == (second, made["key"])
    assert "Sign with the new key" in browser.get("/gates/tower/settings/").content.decode()
    browser.post("/gates/tower/key/", {"do": "use"})
    gate.refresh_from_db()
    assert gate.signs_with == second
    assert browser.post(f"{url}/use").status_code == 409
    with pytest.raises(CommandError, match="Enter a short reason"):
        call_command("gate", "key", "tower", "remove")
    browser.post("/gates/tower/key/", {"do": "remove", "reason": "leaked"})
    gate.refresh_from_db()
    assert (gate.signing_key, gate.previous_signing_key) == ("", "")


@pytest.mark.parametrize("do", ["old", "newer", "new%00"])
def test_an_unknown_verb_changes_nothing(do: str) -> None:
    gate = make_gate()
    browser = Client()
    browser.force_login(operator())
    browser.post("/gates/tower/key/", {"do": do})
    assert browser.post(f"/api/v1/gates/tower/key/{do}").status_code == 422
    gate.refresh_from_db()
    assert gate.signing_key == ""


def test_a_looker_gets_no_key_and_an_unused_one_can_be_replaced() -> None:
    gate = make_gate()
    looker = User.objects.create_user("looker", is_operator=True)
    with pytest.raises(access.Forbidden):
        services.gate_key_new(actor=looker, gate=gate)
    first = services.gate_key_new(actor="test", gate=gate)
    with pytest.raises(AdmissionError):
        services.gate_key_use(actor="test", gate=gate)
    services.gate_key_new(actor="test", gate=gate)
    last = services.gate_key_new(actor="test", gate=gate)
    gate.refresh_from_db()
    assert (gate.signs_with, gate.signing_key) == (first, last)
