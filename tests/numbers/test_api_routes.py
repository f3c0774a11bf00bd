"""The routes behind Django: pools, numbers, call lookup; each tenant sees its own."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from numbers import services
from numbers.models import Number, Pool
from poolsite import hotpath
from tests.numbers.people import drain, make_pool, operator, send, tenant, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


class Reader:
    """A client with a token."""

    def __init__(self, secret: str = "") -> None:
        self._client = Client()
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **query: str) -> tuple[int, Any]:
        response = self._client.get(f"/api/v1{path}", query, headers=self._headers)
        return response.status_code, response.json()


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=3, account=tenant("north").account)


@pytest.fixture
def reader(pool: Pool) -> Reader:
    return Reader(token_for(pool))


def test_a_pool_tells_its_settings_and_figures(pool: Pool, reader: Reader) -> None:
    send("east", "call", call_id="a")
    status, body = reader.get("/pools/east")
    assert status == 200
    assert (body["slug"], body["account"], body["status"]) == ("east", "north", "open")
    assert (body["numbers"], body["counts"]["busy_up"], body["counts"]["idle_up"]) == (3, 1, 2)
    assert body["lease_seconds"] == 14_400
    assert body["as_of"] > 0


def test_a_lost_pool_says_so(pool: Pool, reader: Reader) -> None:
    for key in hotpath.client().keys("{east}*"):
        hotpath.client().delete(key)
    status, body = reader.get("/pools/east")
    assert (status, body["status"], body["counts"]) == (200, "lost", None)


def test_the_list_holds_what_the_token_may_see(pool: Pool, reader: Reader) -> None:
    make_pool("west")
    assert [row["slug"] for row in reader.get("/pools")[1]] == ["east"]


def test_a_number_tells_its_state_and_its_call(pool: Pool, reader: Reader) -> None:
    services.number_change(actor="test", number=Number.objects.first(), label="desk", tags=["b"])
    send("east", "call", "+8613800000000", call_id="a", agent="alice", callee="139")
    status, body = reader.get("/pools/east/numbers/138 0000 0000")
    assert status == 200
    assert (body["state"], body["call_id"], body["agent"]) == ("busy+up", "a", "alice")
    assert (body["label"], body["tags"], body["pickable"]) == ("desk", ["b"], False)
    assert body["lease_until"] > body["since"] > 0


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/pools/nowhere", 404, "unknown-pool"),
        ("/pools/east/numbers/999", 404, "unknown-number"),
        ("/pools/nowhere/numbers/+8613800000000", 404, "unknown-pool"),
        ("/pools/east/numbers/abc", 422, "malformed"),
        ("/pools/EAST", 422, "malformed"),
        ("/numbers/who-had", 422, "malformed"),
    ],
)
def test_what_is_missing_or_bad_is_a_problem(
    pool: Pool, reader: Reader, path: str, status: int, kind: str
) -> None:
    found, body = reader.get(path)
    assert (found, body["type"], body["status"]) == (status, kind, status)


def test_who_had_a_number_at_a_moment(pool: Pool, reader: Reader) -> None:
    send("east", "call", "+8613800000000", call_id="a", agent="alice", callee="+86139")
    drain(pool)
    during = datetime.now(UTC).isoformat()
    before = (datetime.now(UTC) - timedelta(minutes=5)).isoformat()
    for name, value in (
        ("number", "138-0000-0000"),
        ("agent", "alice"),
        ("callee", "+86 139"),
        ("call_id", "a"),
    ):
        status, body = reader.get("/numbers/who-had", at=during, **{name: value})
        assert status == 200
        assert [(row["call_id"], row["agent"]) for row in body] == [("a", "alice")]
    assert reader.get("/numbers/who-had", at=before, agent="alice")[1] == []


@pytest.mark.parametrize(
    "query",
    [
        {"at": "2026-01-01T00:00:00Z"},
        {"at": "yesterday", "number": "101"},
        {"at": "2026-01-01T00:00:00", "number": "101"},
        {"at": "2999-01-01T00:00:00Z", "number": "101"},
        {"at": "9999-12-31T23:59:59-14:00", "number": "101"},  # not representable in UTC
        {"at": "1764300000", "number": "101"},
        {"at": "2026-01-01T00:00:00Z", "number": "abc"},
        {"at": "2026-01-01T00:00:00Z", "agent": "a\x00b"},
        {"at": "2026-01-01T00:00:00Z", "number": "101", "colour": "red"},
    ],
)
def test_a_bad_question_is_malformed(pool: Pool, reader: Reader, query: dict[str, str]) -> None:
    status, body = reader.get("/numbers/who-had", **query)
    assert (status, body["type"]) == (422, "malformed")


def test_a_foreign_tenant_sees_nothing(pool: Pool) -> None:
    send("east", "call", "+8613800000000", call_id="a", agent="alice")
    drain(pool)
    stranger = Reader(token_for(account=tenant("south").account))
    assert stranger.get("/pools")[1] == []
    assert stranger.get("/pools/east")[0] == 404
    assert stranger.get("/pools/east/numbers/+8613800000000")[0] == 404
    now = datetime.now(UTC).isoformat()
    assert stranger.get("/numbers/who-had", at=now, agent="alice") == (200, [])


def test_nobody_is_asked_for_a_token(pool: Pool) -> None:
    for path in ("/pools", "/pools/east", "/pools/east/numbers/1", "/numbers/who-had"):
        status, body = Reader().get(path)
        assert (status, body["type"]) == (401, "unauthenticated")


def test_a_logged_in_operator_reads_by_cookie() -> None:
    make_pool()
    client = Client()
    principal = operator()
    from poolsite.access.models import User

    client.force_login(User.objects.get(pk=principal.user_id))
    assert client.get("/api/v1/pools/east").status_code == 200


def test_one_document_describes_both_lanes() -> None:
    status, document = Reader().get("/openapi.json")
    assert status == 200
    assert {
        "/api/v1/pools/{slug}",
        "/api/v1/pools/{slug}/events",
        "/api/v1/pools/{slug}/live",
        "/api/v1/pools/{slug}/numbers/{number}",
        "/api/v1/numbers/who-had",
    } <= set(document["paths"])
    events = document["paths"]["/api/v1/pools/{slug}/events"]["post"]
    assert {"200", "402", "404", "409", "413", "422", "503", "504"} <= set(events["responses"])
    assert "Event" in document["components"]["schemas"]
