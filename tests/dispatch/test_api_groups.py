"""The groups' API: settings, deletion, names, links, and lists by cursor."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import Account, AuditEntry, Grant, Membership, User
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import services
from queueing.dispatch.api.group_schemas import SettingsIn
from queueing.dispatch.models import Group, Instance
from queueing.dispatch.schemas import GroupOut
from queueing.dispatch.services.groups import SETTINGS
from tests.dispatch.people import SLUG, back, drain, front, make_group, row_of, show, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

BASE = f"/api/v1/groups/{SLUG}"
OPERATE = ["dispatch.view", "dispatch.operate"]
Call = Callable[..., tuple[int, Any]]


@pytest.fixture
def group() -> Group:
    """A group of the account `evergreen`."""
    return make_group(account=Account.objects.create(slug="evergreen", name="Evergreen"))


def by(client: Client) -> Call:
    """Return a function that calls the API: the status, and the answer or its type."""

    def call(method: str, path: str, **body: Any) -> tuple[int, Any]:
        sent = {} if method == "get" else {"data": body, "content_type": "application/json"}
        answer = getattr(client, method)(BASE + path, **sent)
        told = answer.json() if answer.content else None
        return answer.status_code, told if answer.status_code < 400 else told["type"]

    return call


@pytest.fixture
def operator() -> Call:
    """A logged-in operator who may set groups."""
    user = User.objects.create_user("op", is_operator=True)
    Grant.objects.create(user=user, name="operate")
    client = Client()
    client.force_login(user)
    return by(client)


def token(group: Group, *actions: str) -> Call:
    secret = token_for(group, actions=list(actions))
    return by(Client(headers={"authorization": f"Bearer {secret}"}))


def owner_of(account: Account) -> Call:
    user = User.objects.create_user(f"owner-{account.slug}")
    Membership.objects.create(user=user, account=account, role="owner")
    client = Client()
    client.force_login(user)
    return by(client)


def test_requests_and_answers_have_every_setting() -> None:
    assert set(SettingsIn.model_fields) == set(SETTINGS)
    assert set(SETTINGS) < set(GroupOut.model_fields)


def test_settings_are_changed_in_both_stores_with_the_reason(group: Group, operator: Call) -> None:
    status, told = operator("patch", "", disconnect_seconds=90, out_limit=50, reason="Slow starts")
    assert (status, told["disconnect_seconds"], told["out_limit"]) == (200, 90, 50)
    assert (show().settings.disconnect_seconds, show().settings.out_limit) == (90, 50)
    entry = AuditEntry.objects.get(action="dispatch.group_configure")
    assert (entry.reason, entry.after) == (
        "Slow starts",
        {"disconnect_seconds": 90, "out_limit": 50},
    )
    assert operator("patch", "")[0] == 200
    for bad in ({"missed_limit": 0}, {"name": ""}, {"slug": "x"}, {"sharing": "luck"}, {"name": 3}):
        assert operator("patch", "", **bad) == (422, "malformed"), bad
    bad = {"timed_route_seconds": 600, "route_limit_seconds": 60}
    assert operator("patch", "", **bad) == (422, "malformed")
    assert AuditEntry.objects.filter(action="dispatch.group_configure").count() == 1


def test_a_group_is_made_with_all_settings(operator: Call) -> None:
    client = Client()
    client.force_login(User.objects.get(username="op"))
    body = {"slug": "made", "sharing": "key", "ends_limit": 7, "reason": "Second site"}
    made = client.post("/api/v1/groups", body, content_type="application/json")
    assert (made.status_code, made.json()["ends_limit"]) == (201, 7)
    assert show("made").settings.sharing == "key"
    assert AuditEntry.objects.get(action="dispatch.group_create").reason == "Second site"


def test_a_change_is_answered_while_redis_is_away(
    operator: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_arguments: Any) -> Any:
        raise hotpath.Unavailable("away")

    monkeypatch.setattr(hotpath, "run", refuse)
    monkeypatch.setattr(hotpath, "run_batch", refuse)
    client = Client()
    client.force_login(User.objects.get(username="op"))
    made = client.post("/api/v1/groups", {"slug": SLUG}, content_type="application/json")
    assert (made.status_code, made.json()["status"]) == (201, "missing")
    status, told = operator("patch", "", disconnect_seconds=90)
    assert (status, told["disconnect_seconds"]) == (200, 90)
    assert Group.objects.get(slug=SLUG).disconnect_seconds == 90


def test_a_group_is_deleted_once_its_peers_have_stopped(group: Group, operator: Call) -> None:
    peer = front()
    assert operator("delete", "?reason=Not+needed") == (409, "group-refused")
    hotpath.run(commands.lost(SLUG, peer.key, peer.link, "closed"))
    assert operator("delete", "?reason=Not+needed") == (409, "group-refused")  # it may come back
    assert operator("delete", "")[0] == operator("delete", "?reason=")[0] == 422
    assert Group.objects.exists()
    services.group_configure(actor="test", group=group, name="Named")
    hotpath.client().flushdb()
    services.group_rebuild(group, "test")
    assert operator("delete", "?reason=Not+needed") == (204, None)
    assert not Group.objects.exists()
    assert operator("get", "") == (404, "unknown-group")
    assert not hotpath.client().keys("*disp*")
    assert AuditEntry.objects.get(action="dispatch.group_delete").reason == "Not needed"


CONFIGURE = [("patch", "", {"name": "x"}), ("delete", "?reason=x", {})]
FORGET = ("delete", "/instances/as-1?reason=x", {})


@pytest.mark.parametrize(("method", "path", "body"), [*CONFIGURE, FORGET])
def test_only_who_may_changes_anything_and_strangers_see_nothing(
    group: Group, method: str, path: str, body: dict[str, Any]
) -> None:
    Instance.objects.create(group=group, name="as-1")
    assert group.account is not None
    for looker in (token(group, "dispatch.view"), owner_of(group.account)):
        assert looker(method, path, **body) == (403, "forbidden")
    if (method, path, body) in CONFIGURE:  # tokens may not do this
        assert token(group, *OPERATE)(method, path, **body) == (403, "forbidden")
    other = Account.objects.create(slug="other", name="Other")
    strangers = (token(make_group("theirs", account=other), *OPERATE), owner_of(other))
    for stranger in strangers:
        assert stranger(method, path, **body) == (404, "unknown-group")
    assert by(Client())(method, path, **body)[0] == 401
    assert Group.objects.filter(slug=SLUG, name=SLUG).exists()
    assert Instance.objects.filter(name="as-1").exists()


def test_a_name_is_removed_once_nothing_is_linked_under_it(group: Group) -> None:
    caller = token(group, *OPERATE)
    peer = back("as-1")
    services.note_peers(0, 1)
    path = "/instances/as-1?reason=Scrapped"
    assert caller("delete", path) == (409, "group-refused")
    peer.leave()
    assert caller("delete", path) == (409, "group-refused")  # pending: it may come back
    assert caller("delete", "/instances/none?reason=x") == (404, "unknown-instance")
    assert caller("delete", "/instances/as-1") == (422, "malformed")
    services.instance_set(actor="test", group=group, name="old", state="drain", reason="disk")
    assert caller("delete", "/instances/old?reason=Scrapped") == (204, None)
    assert "old" not in hotpath.run(commands.names(SLUG))
    names = [row["name"] for row in caller("get", "/instances")[1]]
    assert names == ["as-1"]
    entry = AuditEntry.objects.get(action="dispatch.name_forget")
    assert (entry.reason, entry.before["state"]) == ("Scrapped", "drain")


def test_a_link_is_closed_by_the_peers_key(group: Group) -> None:
    caller = token(group, *OPERATE)
    peer = back("as-1")
    path = f"/peers/{peer.key}/disconnect"
    assert caller("post", path, reason="") == (422, "malformed")
    assert caller("post", path, reason="Stuck") == (204, None)
    assert row_of("as-1").state == "pending"
    assert caller("post", path, reason="Stuck") == (404, "unknown-peer")
    assert caller("post", "/peers/as-1/disconnect", reason="x") == (422, "malformed")
    assert AuditEntry.objects.filter(action="dispatch.peer_disconnect", reason="Stuck").exists()


def test_sessions_of_a_peer_come_by_pages(group: Group) -> None:
    caller = token(group, "dispatch.view")
    instance, sip = back("as-1"), front()
    started = sorted(sip.start(str(n)) for n in range(5))
    for key in (sip.key, instance.key):
        found, cursor = [], ""
        while cursor is not None:
            status, told = caller("get", f"/sessions?peer={key}&limit=2&cursor={cursor}")
            assert status == 200
            found += told["data"]
            cursor = told["next"]
        assert [row["session"] for row in found] == started
        assert {(row["front"], row["instance"], row["live"]) for row in found} == {
            ("sip-1", "as-1", True)
        }
    assert caller("get", "/sessions?peer=f:gone") == (404, "unknown-peer")
    for bad in (
        "",
        "?peer=sip-1",
        "?peer=f:sip-1&cursor=x",
        "?peer=f:sip-1&limit=0",
        "?peer=f:a&a=1",
    ):
        assert caller("get", f"/sessions{bad}") == (422, "malformed"), bad


def test_events_are_filtered_and_come_by_pages(group: Group) -> None:
    caller = token(group, "dispatch.view")
    for name in ("as-1", "as-2"):
        back(name)
        services.instance_set(actor="test", group=group, name=name, state="drain", reason="why")
    drain(group)
    whole = caller("get", "/events")[1]
    assert (whole["next"], whole["data"][-1]["event"]) == (None, "created")
    found, cursor = [], ""
    while cursor is not None:
        told = caller("get", f"/events?limit=2&cursor={cursor}")[1]
        found += told["data"]
        cursor = told["next"]
    assert found == whole["data"]
    drained = caller("get", "/events?event=drain")[1]["data"]
    assert [row["name"] for row in drained] == ["as-2", "as-1"]
    assert len(caller("get", "/events?event=drain&who=as-1")[1]["data"]) == 1
    assert caller("get", "/events?until=2020-01-01T00:00:00Z")[1]["data"] == []
    assert caller("get", "/events?since=2020-01-01T00:00:00Z")[1] == whole
    for bad in ("event=none", "cursor=x", "since=now", "since=2020-01-01T00:00:00", "before_us=1"):
        assert caller("get", f"/events?{bad}") == (422, "malformed"), bad


def test_upgrades_are_listed_by_status(group: Group) -> None:
    caller = token(group, *OPERATE)
    back("as-1")
    back("as-2")
    first = services.upgrade_start(actor="test", group=group, target_version="2.0")
    services.upgrade_abort(actor="test", upgrade=first, reason="no")
    second = services.upgrade_start(actor="test", group=group, target_version="3.0")
    told = caller("get", "/upgrades?limit=1")[1]
    assert [row["id"] for row in told["data"]] == [second.pk]
    rest = caller("get", f"/upgrades?cursor={told['next']}")[1]
    assert ([row["id"] for row in rest["data"]], rest["next"]) == ([first.pk], None)
    running = caller("get", "/upgrades?status=running")[1]["data"]
    assert [row["id"] for row in running] == [second.pk]
    assert caller("get", "/upgrades?status=lost") == (422, "malformed")
