"""`Idempotency-Key`: a write that is sent again is done once, whatever happened in between."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory
from django.utils import timezone

from poolsite import hotpath
from poolsite.access.models import ApiToken, AuditEntry, IdempotentRequest
from poolsite.access.services import grant_set, key_claim, token_revoke, user_create
from poolsite.api import idempotency
from poolsite.people.tasks import tidy
from queueing.admission.models import Gate, TaskBatch
from queueing.dispatch.models import Group
from tests.admission.people import make_gate, token_for
from tests.dispatch.people import back
from tests.dispatch.people import make_group as make_dispatch_group
from tests.dispatch.people import token_for as group_token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ACTIONS = ["admission.view", "admission.batch"]
BATCHES = "/api/v1/gates/tower/batches"
UPGRADES = "/api/v1/groups/asi/upgrades"
KEY = "5ed3c1f2-6f0f-4b4e-9a55-0d3a7e0c4c11"


@pytest.fixture
def gate() -> Gate:
    """A gate that belongs to the platform."""
    return make_gate()


@pytest.fixture
def token(gate: Gate) -> str:
    """The secret of a token that may create batches."""
    return token_for(gate, actions=ACTIONS)


def batch(**changed: Any) -> dict[str, Any]:
    now = timezone.now().replace(microsecond=0)
    window = {"opens_at": now.isoformat(), "closes_at": (now + timedelta(hours=1)).isoformat()}
    return {"name": "firmware", "csv": "device-1,go\n", **window, **changed}


def post(token: str, body: dict[str, Any], key: str | None = KEY, path: str = BATCHES) -> Any:
    headers = {"authorization": f"Bearer {token}"}
    if key is not None:
        headers[idempotency.HEADER] = key
    return Client(headers=headers).post(path, body, content_type="application/json")


def kind_of(answer: Any) -> tuple[int, str]:
    return answer.status_code, str(answer.json()["type"])


def is_replay(answer: Any) -> bool:
    return answer.headers.get(idempotency.REPLAYED) == "true"


# -- once ------------------------------------------------------------------------------------------


def test_a_repeat_gets_the_first_answer_and_changes_nothing(token: str) -> None:
    body = batch()
    first = post(token, body)
    entries = AuditEntry.objects.count()
    again = post(token, body)
    assert (first.status_code, is_replay(first)) == (201, False)
    assert (again.status_code, is_replay(again)) == (201, True)
    assert (again.content, again["Content-Type"]) == (first.content, first["Content-Type"])
    assert (TaskBatch.objects.count(), AuditEntry.objects.count()) == (1, entries)


def test_without_a_key_each_request_is_done(token: str) -> None:
    body = batch()
    assert [post(token, body, None).status_code for _ in range(2)] == [201, 201]
    assert (TaskBatch.objects.count(), IdempotentRequest.objects.count()) == (2, 0)


def test_a_key_belongs_to_one_request(token: str) -> None:
    body = batch()
    post(token, body)
    other = {**body, "name": "other"}
    assert kind_of(post(token, other)) == (422, "idempotency-mismatch")
    assert kind_of(post(token, body, path=f"{BATCHES}?again")) == (422, "idempotency-mismatch")
    assert TaskBatch.objects.count() == 1
    assert is_replay(post(token, body))


def test_of_requests_at_the_same_moment_one_runs(token: str) -> None:
    body, together = batch(), Barrier(6)

    def send(_number: int) -> Any:
        together.wait()
        try:
            return post(token, body)
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(6)))
    assert TaskBatch.objects.count() == 1
    assert [each.status_code for each in answers if not is_replay(each)].count(201) == 1
    assert {each.status_code for each in answers} <= {201, 409}
    assert is_replay(post(token, body))


@pytest.mark.parametrize(
    ("age", "answer"),
    [(59, (409, "idempotency-running")), (61, (504, "unknown-outcome"))],
)
def test_a_request_that_has_no_answer_is_never_done_again(
    token: str, age: int, answer: tuple[int, str]
) -> None:
    """The process may have been killed between the change and the answer."""
    body = batch()
    post(token, body)
    since = timezone.now() - timedelta(seconds=age)
    IdempotentRequest.objects.update(status=None, answer=None, created_at=since)
    assert [kind_of(post(token, body)) for _ in range(2)] == [answer, answer]
    assert TaskBatch.objects.count() == 1


def test_a_key_is_forgotten_after_a_day(token: str) -> None:
    body = batch()
    post(token, body)
    for hours, forgotten in ((23, 0), (25, 1)):
        since = timezone.now() - timedelta(hours=hours)
        IdempotentRequest.objects.update(created_at=since)
        assert tidy(0, 1)["keys"] == forgotten
        assert is_replay(post(token, body)) is not bool(forgotten)
    assert TaskBatch.objects.count() == 2


# -- whose -----------------------------------------------------------------------------------------


def test_another_token_finds_nothing_under_the_same_key(gate: Gate, token: str) -> None:
    body = batch()
    post(token, body)
    other = post(token_for(gate, actions=ACTIONS), body)
    assert (other.status_code, is_replay(other)) == (201, False)
    assert TaskBatch.objects.count() == 2


def test_a_revoked_token_gets_no_answer_again(token: str) -> None:
    body = batch()
    post(token, body)
    token_revoke(token=ApiToken.objects.get(), actor="test")
    assert kind_of(post(token, body)) == (401, "unauthenticated")


def test_a_key_works_with_a_login() -> None:
    user = user_create(username="olga", email="olga@example.com", is_operator=True, actor="test")
    grant_set(user=user, name="operate", actor="test")
    browser = Client(headers={idempotency.HEADER: KEY})
    browser.force_login(user)
    body = {"slug": "east"}
    made = [browser.post("/api/v1/groups", body, "application/json") for _ in range(2)]
    assert [(each.status_code, is_replay(each)) for each in made] == [(201, False), (201, True)]
    assert Group.objects.count() == 1
    assert IdempotentRequest.objects.get().credential == f"user:{user.pk}"


# -- what is not stored ----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", "x" * 256, "ключ", "a\tb"])
def test_a_bad_key_is_refused(token: str, key: str) -> None:
    assert kind_of(post(token, batch(), key)) == (422, "malformed")
    assert (TaskBatch.objects.count(), IdempotentRequest.objects.count()) == (0, 0)


def test_what_was_refused_before_it_began_leaves_no_key(gate: Gate, token: str) -> None:
    assert post("pst_unknown", batch()).status_code == 401
    assert post(token, {"name": "x"}).status_code == 422
    assert post(token_for(gate, actions=["admission.view"]), batch()).status_code == 403
    assert post(token, batch(csv="")).status_code >= 400
    assert not IdempotentRequest.objects.exists()
    assert post(token, batch()).status_code == 201


def test_after_a_refusal_that_changed_nothing_a_repeat_runs() -> None:
    group = make_dispatch_group()
    caller = group_token_for(group, actions=["dispatch.view", "dispatch.operate"])
    back("as-1")
    back("as-2")
    body = {"target_version": "2.0"}
    running = post(caller, body, "first", UPGRADES).json()["id"]
    assert kind_of(post(caller, body, KEY, UPGRADES)) == (409, "upgrade-refused")
    ended = post(caller, {"reason": "x"}, "second", f"{UPGRADES}/{running}/abort")
    assert ended.status_code == 200
    assert post(caller, body, KEY, UPGRADES).status_code == 201
    assert is_replay(post(caller, body, KEY, UPGRADES))


@pytest.fixture
def operator() -> Client:
    """An operator's browser that sends an idempotency key."""
    user = user_create(username="olga", email="olga@example.com", is_operator=True, actor="test")
    grant_set(user=user, name="operate", actor="test")
    browser = Client(headers={idempotency.HEADER: KEY})
    browser.force_login(user)
    return browser


def test_an_error_after_a_change_stays(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """The group is in SQL, but Redis goes away before the answer is complete.

    The answer must not claim that nothing changed.
    """

    def away(*_given: Any, **_named: Any) -> Any:
        raise hotpath.Unavailable("away")

    monkeypatch.setattr("queueing.dispatch.selectors.group_out", away)
    for _ in range(2):
        answer = operator.post("/api/v1/groups", {"slug": "east"}, "application/json")
        assert kind_of(answer) == (504, "unknown-outcome")
    assert Group.objects.count() == 1


def test_without_redis_what_changed_nothing_may_be_sent_again() -> None:
    group = make_dispatch_group()
    caller = group_token_for(group, actions=["dispatch.view", "dispatch.operate"])
    body = {"target_version": "2.0"}
    with hotpath.connect("redis://127.0.0.1:1"):
        assert kind_of(post(caller, body, KEY, UPGRADES)) == (503, "unavailable")
    assert not IdempotentRequest.objects.exists()
    back("as-1")
    back("as-2")
    assert post(caller, body, KEY, UPGRADES).status_code == 201


def test_a_fault_stays(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_given: Any, **_named: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr("queueing.admission.selectors.batch_out", broken)
    headers = {"authorization": f"Bearer {token}", idempotency.HEADER: KEY}
    client = Client(headers=headers, raise_request_exception=False)
    body = batch()
    answers = [client.post(BATCHES, body, "application/json") for _ in range(2)]
    assert [kind_of(each) for each in answers] == [(500, "fault")] * 2
    assert (is_replay(answers[1]), TaskBatch.objects.count()) == (True, 1)


def test_a_secret_is_not_stored(operator: Client, gate: Gate) -> None:
    path = "/api/v1/gates/tower/key/new"
    secret = operator.post(path).json()["key"]
    assert len(secret) == 64
    row = IdempotentRequest.objects.get()
    assert (row.status, row.answer) == (200, None)
    assert kind_of(operator.post(path)) == (409, "idempotency-done")
    gate.refresh_from_db()
    assert gate.signing_prints["next"] == ""


def test_what_no_cache_may_store_is_not_stored() -> None:
    """The same applies to a view that only sets the header."""
    request = RequestFactory().post("/")
    row, _ = key_claim(credential="token:1", key=KEY, fingerprint="x" * 64)
    request.__dict__[idempotency._RUNNING] = idempotency._Running(row, is_secret=False)
    answer = HttpResponse(b"secret", headers={"Cache-Control": "no-store"})
    assert idempotency._settle(request, answer) is answer
    row.refresh_from_db()
    assert (row.status, row.answer) == (200, None)


def test_a_long_answer_is_not_stored(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(idempotency, "ANSWER_LIMIT_BYTES", 100)
    body = batch()
    assert len(post(token, body).content) > 100
    assert kind_of(post(token, body)) == (409, "idempotency-done")
    assert TaskBatch.objects.count() == 1
