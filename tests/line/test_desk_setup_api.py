"""Setting up a desk over the API: what each write changes, and which users are refused."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from poolsite import hotpath
from poolsite.access.models import AuditEntry, User
from poolsite.access.services import grant_set, membership_set, token_create, user_create
from queueing.line import desk as commands
from queueing.line.api.desk_schemas import DeskSettings, WidgetSettings
from queueing.line.api.queue_schemas import QueueSettings
from queueing.line.models import Desk, OutcomeCode, Queue
from queueing.line.services import desk_settings, desks, widgets
from tests.line.line_world import LineWorld, make_line

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
JSON = "application/json"


@pytest.fixture
def line() -> LineWorld:
    cache.clear()
    return make_line()


class Person:
    """A logged-in user with a role at the desk's account."""

    def __init__(self, line: LineWorld, name: str, role: str) -> None:
        self.user = user_create(username=name, actor="test")
        membership_set(user=self.user, account=line.account, roles=[role], actor="test")
        self.client = _client(self.user)
        self.desk = line.desk.slug

    def asks(self, method: str, part: str, body: Any = None, status: int = 200) -> Any:
        """Call a path below the desk and return the answer as data."""
        return asks(self.client, method, f"desks/{self.desk}{part}", body, status)


def asks(client: Client, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    call = getattr(client, method)
    url = f"/api/v1/{path}"
    answer = call(url) if body is None else call(url, body, content_type=JSON)
    assert answer.status_code == status, (method, path, answer.content)
    return answer.json() if answer.content else None


def _client(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="poolsite.access.backends.NameOrEmailBackend")
    return client


@pytest.fixture
def owner(line: LineWorld) -> Person:
    return Person(line, "ada", "owner")


def audited(action: str) -> AuditEntry:
    """Return the only entry of an action that is not the test's own."""
    return AuditEntry.objects.exclude(actor_name="test").get(action=action)


def test_each_setting_of_the_services_is_in_the_interface() -> None:
    assert set(DeskSettings.model_fields) == set(desk_settings.SETTINGS)
    assert set(WidgetSettings.model_fields) == set(widgets.SETTINGS)
    assert set(QueueSettings.model_fields) == {*desks.QUEUE_SETTINGS, "hours", "overflow"}


def test_a_desk_is_created_by_operators_and_changed_by_its_owner(
    line: LineWorld, owner: Person
) -> None:
    body = {"slug": "sales", "name": "Sales", "account": line.account.slug, "attachment_mb": 3}
    asks(owner.client, "post", "desks", body, 403)
    operator = user_create(username="op", actor="test", is_operator=True)
    grant_set(user=operator, name="operate", actor="test")
    client = _client(operator)
    made = asks(client, "post", "desks", body, 201)
    assert (made["account"], made["settings"]["attachment_mb"]) == (line.account.slug, 3)
    assert hotpath.run(commands.show("sales")) is not None
    assert asks(client, "post", "desks", body, 422)["type"] == "malformed"
    assert asks(client, "post", "desks", {**body, "slug": "b", "account": "none"}, 422)
    assert {row["slug"] for row in asks(owner.client, "get", "desks")["data"]} == {
        "support",
        "sales",
    }
    assert [row["slug"] for row in asks(owner.client, "get", "desks?q=SAL")["data"]] == ["sales"]
    changed = owner.asks("patch", "", {"transcript_days": 30, "reason": "Policy"})
    assert changed["settings"]["transcript_days"] == 30
    assert Desk.objects.get(slug="support").transcript_days == 30
    entry = audited("line.desk_configure")
    assert (entry.reason, entry.after) == ("Policy", {"transcript_days": 30})
    assert owner.asks("patch", "", {"transcript_days": 0}, 422)["type"] == "malformed"
    assert owner.asks("patch", "", {"no_such": 1}, 422)["type"] == "malformed"


@pytest.mark.parametrize(
    ("method", "part", "body"),
    [
        ("patch", "", {"name": "x"}),
        ("patch", "/widget", {"side": "left"}),
        ("post", "/queues", {"slug": "x", "name": "x"}),
        ("patch", "/queues/support-help", {"name": "x"}),
        ("put", "/queues/support-help/topics", {"topics": []}),
        ("put", "/queues/support-help/closures/2026-12-24", {}),
        ("post", "/closures", {"days": [{"day": "2026-12-24"}]}),
        ("post", "/agents", {"user": 1, "name": "x", "queues": ["support-help"]}),
        ("post", "/skills", {"slug": "x", "name": "x"}),
        ("put", "/replies/x", {"text": "x"}),
        ("post", "/outcomes", {"name": "x"}),
        ("post", "/outcomes/usual", {}),
        ("put", "/languages", {"languages": {}}),
        ("post", "/signing-secrets", {}),
    ],
)
def test_who_may_not_set_a_desk_up_changes_nothing(
    line: LineWorld, method: str, part: str, body: Any
) -> None:
    supervisor = Person(line, "sue", "supervisor")
    other = make_line("other")
    stranger = Person(other, "eve", "owner")
    _, token = token_create(name="t", account=line.account, resources=["*"], actor="test")
    entries = AuditEntry.objects.filter(action__startswith="line.").count()
    supervisor.asks(method, part, body, 403)
    refused = asks(stranger.client, method, f"desks/support{part}", body, 404)
    assert refused["type"] == "unknown-desk"
    machine = Client(headers={"authorization": f"Bearer {token}"})
    assert asks(machine, method, f"desks/support{part}", body, 403)["type"] == "forbidden"
    assert AuditEntry.objects.filter(action__startswith="line.").count() == entries


def test_settings_are_shown_to_who_may_change_them(line: LineWorld, owner: Person) -> None:
    line.agent("li", phone="+8613900000001")
    supervisor = Person(line, "sue", "supervisor")
    for part in ("", "/queues/support-help"):
        assert owner.asks("get", part)["settings"]["name"]
        assert supervisor.asks("get", part)["settings"] is None
    assert owner.asks("get", "/agents")["data"][0]["phone"] == "+8613900000001"
    assert supervisor.asks("get", "/agents")["data"][0]["phone"] is None
    supervisor.asks("get", "/agents?archived=true", status=403)


def test_a_queue_is_created_changed_and_ordered(line: LineWorld, owner: Person) -> None:
    week = {"0": [["09:00", "18:00"]], "4": [["22:00", "06:00"]]}
    body = {"slug": "returns", "name": "Returns", "hours": week, "overflow": "support-help"}
    made = owner.asks("post", "/queues", body, 201)["settings"]
    assert (made["hours"], made["overflow"]) == (week, "support-help")
    queue = Queue.objects.get(slug="returns")
    assert queue.hours["5"] == [["00:00", "06:00"]]
    assert queue.pk in _show(line).queues
    changed = owner.asks("patch", "/queues/returns", {"overflow": None, "position": 7, "hours": {}})
    assert (changed["settings"]["overflow"], changed["settings"]["position"]) == (None, 7)
    assert audited("line.queue_configure").after["position"] == 7
    assert [row["slug"] for row in owner.asks("get", "/queues")["data"]] == [
        "support-help",
        "returns",
    ]
    bad: list[tuple[dict[str, Any], int, str]] = [
        ({"overflow": "nothing"}, 404, "unknown-queue"),
        ({"overflow": "returns"}, 422, "malformed"),
        ({"zone": "Mars"}, 422, "malformed"),
        ({"hours": {"0": [["9", "18"]]}}, 422, "malformed"),
        ({"hours": {"0": []}}, 422, "malformed"),
        ({"ttl_seconds": 1}, 422, "malformed"),
    ]
    for given, status, kind in bad:
        assert owner.asks("patch", "/queues/returns", given, status)["type"] == kind


def _show(line: LineWorld) -> commands.DeskFigures:
    figures = hotpath.run(commands.show(line.desk.slug))
    assert figures is not None
    return figures


def test_topics_and_languages_are_replaced_as_a_whole(line: LineWorld, owner: Person) -> None:
    owner.asks("post", "/skills", {"slug": "english", "name": "English"}, 201)
    topic = {"text": "Orders", "texts": {}, "queue": None, "skills": {"english": 2}, "priority": 3}
    part = "/queues/support-help/topics"
    assert owner.asks("put", part, {"topics": [topic]}) == {"topics": [topic]}
    assert owner.asks("get", part) == {"topics": [topic]}
    assert owner.asks("put", part, {"topics": [topic, topic]}, 422)["type"] == "malformed"
    languages = {"languages": {"en": {"skill": "english", "level": 2}}}
    assert owner.asks("put", "/languages", languages) == languages
    assert owner.asks("get", "/languages") == languages
    unknown = {"languages": {"en": {"skill": "dutch"}}}
    assert owner.asks("put", "/languages", unknown, 404)["type"] == "unknown-skill"
    owner.asks("delete", "/skills/english", status=204)
    assert owner.asks("get", part)["topics"][0]["skills"] == {}
    assert owner.asks("get", "/skills") == {"data": [], "next": None}
    assert owner.asks("delete", "/skills/english", status=404)["type"] == "unknown-skill"


def test_closures_are_set_imported_listed_and_removed(line: LineWorld, owner: Person) -> None:
    desks.queue_create(actor="test", desk=line.desk, slug="returns", name="Returns")
    day = "/queues/support-help/closures/2026-12-24"
    body = {"hours": [["09:00", "14:00"]], "text": "Christmas Eve"}
    assert owner.asks("put", day, body)["hours"] == [["09:00", "14:00"]]
    assert owner.asks("put", day, {"hours": [["14:00", "09:00"]]}, 422)["type"] == "malformed"
    many = {"days": [{"day": "2026-12-25"}], "yearly": True}
    assert owner.asks("post", "/closures", many) == {"days": 1}
    listed = owner.asks("get", "/closures?queue=returns&day_from=2027-01-01")["data"]
    assert [(row["queue"], row["day"], row["yearly"]) for row in listed] == [
        ("returns", "2026-12-25", True)
    ]
    assert len(owner.asks("get", "/closures")["data"]) == 3
    owner.asks("delete", day, status=204)
    assert owner.asks("delete", day, status=404)["type"] == "unknown-closure"
    assert audited("line.closure_delete").before["day"] == "2026-12-24"


def test_an_agent_is_added_changed_archived_and_restored(line: LineWorld, owner: Person) -> None:
    owner.asks("post", "/skills", {"slug": "english", "name": "English"}, 201)
    li = Person(line, "li", "agent").user
    stranger = Person(make_line("other"), "eve", "agent").user
    assert {row["user"] for row in owner.asks("get", "/candidates")["data"]} == {
        li.pk,
        owner.user.pk,
    }
    body = {"user": li.pk, "name": "Li", "queues": ["support-help"], "skills": {"english": 2}}
    assert owner.asks("post", "/agents", {**body, "user": stranger.pk}, 422)["type"] == "malformed"
    assert owner.asks("post", "/agents", {**body, "skills": {"dutch": 1}}, 422)
    made = owner.asks("post", "/agents", body, 201)
    assert (made["state"], made["skills"]) == ("offline", {"english": 2})
    part = f"/agents/{li.pk}"
    changed = owner.asks("patch", part, {"capacity": 4, "reason": "Trained"})
    assert (changed["capacity"], changed["skills"]) == (4, {"english": 2})
    assert audited("line.agent_configure").reason == "Trained"
    assert hotpath.run(commands.login("support", li.pk)).answer == "ok"
    assert owner.asks("get", "/agents?queue=support-help")["data"][0]["state"] == "free"
    assert owner.asks("post", f"{part}/archive", {}, 409)["type"] == "agent-online"
    hotpath.run(commands.log_out_now("support", li.pk, "test"))
    assert owner.asks("post", f"{part}/archive", {"reason": "Left"})["archived_at"]
    assert owner.asks("get", "/agents")["data"] == []
    assert [row["agent"] for row in owner.asks("get", "/agents?archived=true")["data"]] == [li.pk]
    for _ in range(2):  # the second request changes nothing
        assert owner.asks("post", f"{part}/restore", {})["archived_at"] is None
    assert audited("line.agent_restore")
    assert owner.asks("get", "/agents/999", status=404)["type"] == "unknown-agent"


def test_replies_outcomes_and_the_widget(line: LineWorld, owner: Person) -> None:
    assert owner.asks("put", "/replies/hello", {"text": "Hello"})["text"] == "Hello"
    owner.asks("put", "/replies/hello", {"text": "Hi"})
    assert owner.asks("get", "/replies")["data"] == [{"shortcut": "hello", "text": "Hi"}]
    owner.asks("delete", "/replies/hello", status=204)
    assert owner.asks("delete", "/replies/hello", status=404)["type"] == "unknown-reply"
    assert owner.asks("post", "/outcomes/usual", {}) == {"added": 4}
    made = owner.asks("post", "/outcomes", {"name": "Sold", "tone": "good"}, 201)
    assert owner.asks("post", "/outcomes", {"name": "Sold"}, 422)["type"] == "malformed"
    moved = owner.asks("post", f"/outcomes/{made['id']}/up", {})
    assert moved["position"] == 4
    owner.asks("delete", f"/outcomes/{made['id']}", status=204)
    assert not OutcomeCode.objects.filter(pk=made["id"]).exists()
    gone = owner.asks("delete", f"/outcomes/{made['id']}", status=404)
    assert gone["type"] == "no-such-outcome"
    given = {"origins": ["https://Shop.example"], "side": "left"}
    told = owner.asks("patch", "/widget", given)
    assert (told["origins"], told["side"]) == (["https://shop.example"], "left")
    assert owner.asks("get", "/widget") == told
    assert owner.asks("patch", "/widget", {"colour": "#ffffff"}, 422)["type"] == "malformed"


def test_a_signing_secret_is_shown_once_and_revoked(line: LineWorld, owner: Person) -> None:
    secret = owner.asks("post", "/signing-secrets", {}, 201)["secret"]
    (row,) = owner.asks("get", "/signing-secrets")["data"]
    assert secret not in str(row)
    owner.asks("post", "/signing-secrets", {}, 201)
    assert owner.asks("post", "/signing-secrets", {}, 422)["type"] == "malformed"
    owner.asks("delete", f"/signing-secrets/{row['id']}", status=204)
    again = owner.asks("delete", f"/signing-secrets/{row['id']}", status=404)
    assert again["type"] == "unknown-secret"


def test_an_address_is_blocked_by_a_supervisor(line: LineWorld, owner: Person) -> None:
    supervisor = Person(line, "sue", "supervisor")
    body = {"address": "203.0.113.7", "reason": "Insults", "until": "2027-01-01T00:00:00+08:00"}
    owner.asks("post", "/blocked", body, 403)
    made = supervisor.asks("post", "/blocked", body, 201)
    assert owner.asks("get", "/blocked")["data"] == [made]
    assert supervisor.asks("post", "/blocked", {"reason": "x"}, 422)["type"] == "malformed"
    supervisor.asks("delete", f"/blocked/{made['id']}", status=204)
    gone = supervisor.asks("delete", f"/blocked/{made['id']}", status=404)
    assert gone["type"] == "unknown-address"
    assert audited("line.visitor_unblock").before["key"] == "203.0.113.7"
