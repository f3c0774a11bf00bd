"""The groups' API: what it answers, to which callers, and what it refuses."""

from typing import Any

import pytest
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import Account
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors, services
from queueing.dispatch.models import FrontEnd, Group, Instance, Upgrade
from tests.dispatch.people import SLUG, back, drain, front, make_group, row_of, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ALL = ["dispatch.view", "dispatch.operate", "dispatch.link"]
BASE = f"/api/v1/groups/{SLUG}"


@pytest.fixture
def group() -> Group:
    """A group of the account `evergreen`."""
    return make_group(account=Account.objects.create(slug="evergreen", name="Evergreen"))


class Caller:
    """A client with a token."""

    def __init__(self, secret: str) -> None:
        self._client = Client(headers={"authorization": f"Bearer {secret}"})

    def get(self, path: str) -> Any:
        return self._client.get(BASE + path)

    def post(self, path: str, **body: Any) -> Any:
        return self._client.post(BASE + path, body, content_type="application/json")


@pytest.fixture
def caller(group: Group) -> Caller:
    """A client whose token may do everything here."""
    return Caller(token_for(group, actions=ALL))


def kind_of(answer: Any) -> str:
    return str(answer.json()["type"]).rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def test_a_group_and_its_peers_are_told(group: Group, caller: Caller) -> None:
    back("as-1", version="1.4", capacity=9)
    sip = front()
    sip.start("1")
    Instance.objects.create(group=group, name="as-gone", version="1.3", manual_state="drain")
    assert caller.get("").json()["sessions"] == 1
    told = {row["name"]: row for row in caller.get("/instances").json()}
    assert (told["as-1"]["state"], told["as-1"]["version"]) == ("active", "1.4")
    assert (told["as-1"]["sessions"], told["as-1"]["capacity"]) == (1, 9)
    assert (told["as-gone"]["state"], told["as-gone"]["manual"]) == ("stop", "drain")
    fronts = caller.get("/front-ends").json()
    assert [(row["id"], row["profile"], row["sessions"]) for row in fronts] == [
        ("sip-1", "BICC", 1)
    ]


def test_an_instance_is_drained_blocked_and_opened(group: Group, caller: Caller) -> None:
    back("as-1")
    for state in ("drain", "blocked", "open"):
        answer = caller.post("/instances/as-1/manual", state=state, reason="because")
        assert answer.status_code == 204
        assert row_of("as-1").manual == state
    for bad in (
        {"state": "gone"},
        {"state": "drain"},  # without a reason
        {"state": "drain", "reason": "x", "until": "2090-01-01T00:00:00"},  # without a zone
        {"state": "drain", "reason": "x", "until": "2001-01-01T00:00:00Z"},
        {"state": "drain", "reason": "x", "until": "9999-12-31T23:59:59-14:00"},  # no UTC
        {"state": "drain", "reason": "x" * 201},
        {"state": "open", "colour": "red"},
    ):
        assert caller.post("/instances/as-1/manual", **bad).status_code == 422, bad
    assert row_of("as-1").manual == "open"


def test_a_session_is_explained_and_ended(group: Group, caller: Caller) -> None:
    back("as-1")
    session = front().start("call-1")
    told = caller.get(f"/sessions/explain?session={session}").json()
    assert (told["instance"], told["why"]) == ("as-1", "fewest sessions, by weight")
    assert "refused" in told["if_blocked"]
    back("as-2")
    assert "as-2" in caller.get(f"/sessions/explain?session={session}").json()["if_blocked"]
    assert caller.post(f"/sessions/end?session={session}", reason="test").status_code == 204
    assert hotpath.run(commands.route(SLUG, session)) is None
    for path in (f"/sessions/explain?session={session}", "/sessions/explain?session=none/1"):
        assert (caller.get(path).status_code, kind_of(caller.get(path))) == (404, "unknown-session")
    assert caller.get("/sessions/explain?session=no-slash").status_code == 422
    assert caller.post(f"/sessions/end?session={session}", reason="again").status_code == 404


def test_an_upgrade_is_begun_followed_forced_and_aborted(group: Group, caller: Caller) -> None:
    back("as-1")
    back("as-2")
    sip = front()
    for n in range(4):
        sip.start(str(n))
    made = caller.post("/upgrades", target_version="2.0", max_drain_seconds=60)
    assert made.status_code == 201
    number = made.json()["id"]
    assert caller.post("/upgrades", target_version="2.0").status_code == 409
    assert caller.post(f"/upgrades/{number}/force", reason="early").status_code == 409
    services.tick_upgrades()
    steps = caller.get(f"/upgrades/{number}").json()["steps"]
    assert [(one["name"], one["status"], one["sessions"]) for one in steps] == [
        ("as-1", "draining", 2),
        ("as-2", "waiting", 2),
    ]
    assert caller.post(f"/upgrades/{number}/force", reason="now").json() == {"ended": 2}
    assert caller.post(f"/upgrades/{number}/abort", reason="enough").json()["status"] == "aborted"
    assert [row["id"] for row in caller.get("/upgrades").json()["data"]] == [number]
    assert caller.get("/upgrades/999999").status_code == 404
    assert caller.post("/upgrades", target_version="").status_code == 422
    assert caller.post("/upgrades", target_version="2", at_limit="hope").status_code == 422


def test_a_front_end_tells_its_own_count(group: Group, caller: Caller) -> None:
    front()
    assert caller.post("/front-ends/sip-1/count", started=9, lost=0).status_code == 204
    assert caller.post("/front-ends/sip-1/count", started=12, lost=1).status_code == 204
    row = FrontEnd.objects.get(peer_id="sip-1")
    assert (row.told_started, row.told_lost) == (12, 1)
    assert caller.get("/front-ends").json()[0]["told_lost"] == 1
    for bad in ({"started": -1, "lost": 0}, {"started": 1}, {"started": 2**60, "lost": 0}):
        assert caller.post("/front-ends/sip-1/count", **bad).status_code == 422


def test_the_event_log_is_told_newest_first(group: Group, caller: Caller) -> None:
    back("as-1")
    services.instance_set(actor="test", group=group, name="as-1", state="drain", reason="why")
    drain(group)
    told = caller.get("/events").json()["data"]
    assert (told[0]["event"], told[0]["name"], told[0]["reason"]) == ("drain", "as-1", "why")
    assert told[-1]["event"] == "created"
    assert caller.get("/events?before_us=1").status_code == 422  # a cursor of an earlier release


def test_what_redis_lost_is_said_and_not_a_fault(group: Group, caller: Caller) -> None:
    hotpath.client().flushdb()
    assert caller.get("").json()["status"] == "missing"
    assert caller.get("/instances").json() == []
    assert caller.post("/upgrades", target_version="2.0").status_code == 503


WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/instances/as-1/manual", {"state": "open"}),
    ("/sessions/end?session=sip-1/1", {"reason": "x"}),
    ("/peers/f:sip-1/disconnect", {"reason": "x"}),
    ("/upgrades", {"target_version": "2.0"}),
    ("/front-ends/sip-1/count", {"started": 1, "lost": 0}),
)


@pytest.mark.parametrize(("path", "body"), WRITES)
def test_a_token_without_the_action_changes_nothing(
    group: Group, path: str, body: dict[str, Any]
) -> None:
    looker = Caller(token_for(group, actions=["dispatch.view"]))
    assert looker.post(path, **body).status_code == 403
    assert not Upgrade.objects.exists()
    assert not FrontEnd.objects.exists()


@pytest.mark.parametrize(("path", "body"), WRITES)
def test_a_foreign_token_sees_nothing(group: Group, path: str, body: dict[str, Any]) -> None:
    other = Account.objects.create(slug="other", name="Other")
    stranger = Caller(token_for(make_group("theirs", account=other), actions=ALL))
    answer = stranger.post(path, **body)
    assert (answer.status_code, kind_of(answer)) == (404, "unknown-group")
    assert stranger.get("").status_code == 404
    assert Client().get(BASE).status_code == 401


def test_the_document_has_every_route() -> None:
    paths = Client().get("/api/v1/openapi.json").json()["paths"]
    ours = {path for path in paths if path.startswith("/api/v1/groups")}
    assert len(ours) == 18


def test_only_a_change_without_a_reply_has_an_unknown_outcome(
    group: Group, caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_given: Any, **_named: Any) -> Any:
        raise hotpath.UnknownOutcome

    monkeypatch.setattr(services, "instance_set", lost)
    monkeypatch.setattr(selectors, "peers_of", lost)
    read = caller.get("/instances")
    assert (read.status_code, kind_of(read)) == (503, "unavailable")
    change = caller.post("/instances/as-1/manual", state="open")
    assert (change.status_code, kind_of(change)) == (504, "unknown-outcome")
