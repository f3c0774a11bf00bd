"""The numbers of a pool by API: listed, added, changed, quarantined, freed, deleted; its calls."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from numbers.models import Number, Pool
from numbers.selectors import live_numbers
from poolsite import hotpath
from poolsite.access.models import AuditEntry
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from tests.numbers.api_people import NOT_THEIRS, Caller, boss, refused
from tests.numbers.people import drain, make_pool, send, tenant, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

ONE, TWO, THREE = (f"+861380000000{n}" for n in range(3))
PATH = f"/pools/east/numbers/{ONE}"


@pytest.fixture
def pool() -> Pool:
    return make_pool(numbers=3, account=tenant("north").account)


@pytest.fixture
def caller(pool: Pool) -> Caller:
    return boss()


def state(number: str) -> Any:
    return live_numbers({"east": [number]})[1].get(("east", number))


def in_sql() -> set[str]:
    return set(Number.objects.filter(pool__slug="east").values_list("value", flat=True))


def entry(action: str) -> AuditEntry:
    return AuditEntry.objects.filter(action=f"numbers.{action}").latest("pk")


def test_the_list_has_pages_with_live_states(pool: Pool) -> None:
    reader = Caller(secret=token_for(pool))
    send("east", "call", TWO, call_id="a")
    status, first = reader.get("/pools/east/numbers", limit=2)
    assert (status, [row["number"] for row in first["data"]]) == (200, [THREE, TWO])
    assert [row["state"] for row in first["data"]] == ["idle+up", "busy+up"]
    _status, second = reader.get("/pools/east/numbers", limit=2, cursor=first["next"])
    assert ([row["number"] for row in second["data"]], second["next"]) == ([ONE], None)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "138"}, [THREE, TWO, ONE]),
        ({"q": "+86138 0000 0001"}, [TWO]),
        ({"q": "0086138"}, [THREE, TWO, ONE]),
        ({"q": "139"}, []),
        ({"q": "x"}, []),
        ({"tag": "vip"}, [ONE]),
        ({"carrier": "Mobile"}, [ONE]),
        ({"region": "North"}, [TWO]),
        ({"quarantined": "true"}, [THREE]),
        ({"quarantined": "false", "q": "138"}, [TWO, ONE]),
        ({"import_id": "7"}, [TWO]),
    ],
)
def test_the_list_is_filtered(caller: Caller, query: dict[str, str], found: list[str]) -> None:
    Number.objects.filter(value=TWO).update(region="North", import_id=7)
    caller.patch(PATH, tags=["vip"], carrier="Mobile")
    caller.post(f"/pools/east/numbers/{THREE}/quarantine", reason="spam")
    status, told = caller.get("/pools/east/numbers", **query)
    assert (status, [row["number"] for row in told["data"]]) == (200, found)


@pytest.mark.parametrize("query", [{"colour": "red"}, {"cursor": "!"}, {"limit": 0}, {"tag": "\0"}])
def test_a_bad_filter_is_malformed(caller: Caller, query: dict[str, Any]) -> None:
    status, told = caller.get("/pools/east/numbers", **query)
    assert (status, told["type"]) == (422, "malformed")


def test_numbers_are_added_each_with_its_own_result(caller: Caller) -> None:
    make_pool("west", numbers=1, first=13900000000)
    status, told = caller.post(
        "/pools/east/numbers",
        numbers=[
            {"number": "138 0000 0005", "label": "Five", "tags": ["new"]},
            {"number": ONE},
            {"number": "13900000000"},
            {"number": "abc"},
            {"number": "008613800000005"},
            {"number": "13800000006"},
        ],
        reason="contract",
    )
    assert (status, told["added"]) == (200, 2)
    assert [row["status"] for row in told["results"]] == [201, 409, 409, 422, 409, 201]
    assert told["results"][0]["number"] == "+8613800000005"
    assert "west" in told["results"][2]["detail"]
    assert told["results"][3]["type"] == "malformed"
    assert len(in_sql()) == 5
    assert state("+8613800000005").name == "idle+down"
    five = Number.objects.get(value="+8613800000005")
    assert (five.label, [tag.tag for tag in five.tags.all()]) == ("Five", ["new"])
    assert entry("number_add").reason == "contract"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"numbers": []},
        {"numbers": [{"number": "138"}] * 1001},
        {"numbers": [{"number": 13800000005}]},
        {"numbers": [{"number": "13800000005", "colour": "red"}]},
        {"numbers": [{"number": "13800000005", "label": "x" * 121}]},
        {"numbers": [{"number": "13800000005", "notes": "a\x00b"}]},
    ],
)
def test_a_bad_request_adds_nothing(caller: Caller, body: dict[str, Any]) -> None:
    status, told = caller.post("/pools/east/numbers", **body)
    assert (status, told["type"]) == (422, "malformed")
    assert len(in_sql()) == 3


def test_a_range_is_added_but_for_what_is_there(caller: Caller) -> None:
    status, told = caller.post("/pools/east/number-ranges", first="13800000002", last="13800000009")
    assert (status, told["added"], told["in_this_pool"]) == (200, 7, 1)
    assert len(in_sql()) == 10
    for first, last in (("138", "13800000000"), ("13800000009", "13800000002"), ("x", "y")):
        assert caller.post("/pools/east/number-ranges", first=first, last=last)[0] == 422


def test_a_number_is_changed(caller: Caller) -> None:
    given = {"label": "Desk", "notes": "two\nlines", "region": "North", "carrier": "Mobile"}
    status, told = caller.patch("/pools/east/numbers/13800000000", tags=["b", "a"], **given)
    assert status == 200
    assert {name: told[name] for name in given} == given
    assert told["tags"] == ["a", "b"]
    assert caller.patch(PATH, label="Hall")[1]["region"] == "North"
    assert caller.patch(PATH, tags=[])[1]["tags"] == []
    assert entry("number_change").before["tags"] == ["a", "b"]
    for bad in ({"label": 5}, {"state": "up"}, {"tags": ["x" * 41]}, {"region": "a\nb"}):
        assert caller.patch(PATH, **bad)[0] == 422
    assert caller.patch("/pools/east/numbers/999", label="x")[1]["type"] == "unknown-number"


def test_a_number_is_quarantined_and_released(caller: Caller) -> None:
    assert caller.post(f"{PATH}/quarantine")[0] == 422
    status, told = caller.post(f"{PATH}/quarantine", reason="spam")
    assert (status, told["quarantined_reason"], told["quarantined_by"]) == (200, "spam", "olive")
    assert told["why_not"] == "quarantined"
    assert state(ONE).quarantined
    assert entry("number_quarantine").reason == "spam"
    status, told = caller.post(f"{PATH}/release")
    assert (status, told["quarantined_at"], told["pickable"]) == (200, None, True)
    assert not state(ONE).quarantined


def test_a_call_is_ended_by_force(caller: Caller) -> None:
    send("east", "call", ONE, call_id="a")
    assert caller.post(f"{PATH}/hangup")[0] == 422
    status, told = caller.post(f"{PATH}/hangup", reason="stuck")
    assert (status, told["state"], told["call_id"]) == (200, "idle+up", "")
    status, told = caller.post(f"{PATH}/hangup", reason="stuck")
    assert (status, told["type"]) == (409, "not-allowed")
    assert entry("number_force_hangup").reason == "stuck"


def test_a_number_is_deleted(caller: Caller) -> None:
    assert caller.delete(f"{PATH}?reason=sold") == (204, None)
    assert in_sql() == {TWO, THREE}
    assert state(ONE) is None
    assert entry("number_delete").reason == "sold"
    assert caller.delete(PATH)[0] == 404


def test_many_numbers_are_changed_at_once(caller: Caller) -> None:
    west = make_pool("west")
    path, why = "/pools/east/number-changes", {"reason": "audit"}
    both = ["13800000000", TWO, "13900000099"]
    status, told = caller.post(path, action="quarantine", numbers=both, **why)
    assert (status, told["changed"], told["job"]) == (200, 2, None)
    assert list(told["unchanged"]) == ["13900000099"]
    assert state(ONE).quarantined
    assert caller.post(path, action="release", numbers=both, **why)[1]["changed"] == 2
    assert caller.post(path, action="hangup", numbers=both, **why)[1]["changed"] == 0
    status, told = caller.post(path, action="move", numbers=[TWO], target="west", **why)
    assert (status, told["changed"]) == (200, 1)
    assert Number.objects.get(value=TWO).pool == west
    assert caller.post(path, action="delete", numbers=[THREE], **why)[1]["changed"] == 1
    assert in_sql() == {ONE}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"action": "delete", "reason": "x"}, 422),
        ({"action": "delete", "numbers": [ONE], "filter": {}, "reason": "x"}, 422),
        ({"action": "delete", "numbers": [ONE]}, 422),
        ({"action": "dance", "numbers": [ONE], "reason": "x"}, 422),
        ({"action": "move", "numbers": [ONE], "reason": "x"}, 422),
        ({"action": "move", "numbers": [ONE], "target": "nowhere", "reason": "x"}, 404),
        ({"action": "delete", "numbers": [ONE], "target": "east", "reason": "x"}, 422),
        ({"action": "delete", "filter": {"state": "asleep"}, "reason": "x"}, 422),
    ],
)
def test_a_bad_change_of_many_changes_nothing(
    caller: Caller, body: dict[str, Any], status: int
) -> None:
    assert caller.post("/pools/east/number-changes", **body)[0] == status
    assert len(in_sql()) == 3


def test_a_filter_is_changed_by_a_job(caller: Caller) -> None:
    make_pool("west", numbers=1, first=13800009000)
    status, told = caller.post(
        "/pools/east/number-changes", action="delete", filter={"q": "138"}, reason="audit"
    )
    job = Job.objects.get()
    assert (status, told["job"]) == (202, job.public_id)
    runner.run(job.pk)
    assert in_sql() == set()
    assert Number.objects.count() == 1  # the other pool's


def test_calls_are_listed_and_filtered(pool: Pool) -> None:
    reader = Caller(secret=token_for(pool))
    for number, agent, callee in ((ONE, "alice", "+8613912345678"), (TWO, "bob", "sip:x@y")):
        send("east", "call", number, call_id=agent, agent=agent, callee=callee)
    send("east", "hangup", ONE, call_id="alice", answered=True, talk_seconds=3, cause="16")
    drain(pool)
    status, told = reader.get("/pools/east/calls")
    assert (status, [row["agent"] for row in told["data"]]) == (200, ["bob", "alice"])
    assert (told["data"][1]["answered"], told["data"][1]["talk_seconds"]) == (True, 3)
    soon = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    for query, found in (
        ({"number": "138 0000 0000"}, ["alice"]),
        ({"agent": "bob"}, ["bob"]),
        ({"callee": "139-1234-5678"}, []),
        ({"callee": "+86 139 1234 5678"}, ["alice"]),
        ({"call_id": "bob"}, ["bob"]),
        ({"in_progress": "true"}, ["bob"]),
        ({"in_progress": "false"}, ["alice"]),
        ({"started_from": soon}, []),
        ({"started_to": soon}, ["bob", "alice"]),
    ):
        assert [row["agent"] for row in reader.get("/pools/east/calls", **query)[1]["data"]] == (
            found
        ), query
    for bad in ({"number": "abc"}, {"started_from": "yesterday"}, {"from": soon}):
        assert reader.get("/pools/east/calls", **bad)[0] == 422


def test_a_number_s_events_are_listed(pool: Pool) -> None:
    send("east", "call", ONE, call_id="a", agent="alice")
    drain(pool)
    reader = Caller(secret=token_for(pool))
    status, told = reader.get(f"{PATH}/events", limit=1)
    assert (status, told["data"][0]["event"], told["data"][0]["agent"]) == (200, "call", "alice")
    rest = reader.get(f"{PATH}/events", cursor=told["next"])[1]["data"]
    assert [row["event"] for row in rest] == ["reg", "add"]
    assert reader.get("/pools/east/numbers/999/events")[1]["type"] == "unknown-number"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/pools/east/numbers", {"numbers": [{"number": "13800000009"}]}),
        ("POST", "/pools/east/number-ranges", {"first": "13800000009", "last": "13800000009"}),
        (
            "POST",
            "/pools/east/number-changes",
            {"action": "delete", "numbers": [ONE], "reason": "x"},
        ),
        ("PATCH", PATH, {"label": "x"}),
        ("DELETE", PATH, {}),
        ("POST", f"{PATH}/quarantine", {"reason": "x"}),
        ("POST", f"{PATH}/release", {}),
        ("POST", f"{PATH}/hangup", {"reason": "x"}),
    ],
)
def test_who_may_not_operate_changes_nothing(
    pool: Pool, method: str, path: str, body: dict[str, Any]
) -> None:
    send("east", "call", ONE, call_id="a")
    before = list(Number.objects.order_by("pk").values())
    assert refused(pool, method, path, **body) == NOT_THEIRS
    assert list(Number.objects.order_by("pk").values()) == before
    assert state(ONE).busy


@pytest.mark.parametrize("path", ["/pools/east/numbers", "/pools/east/calls", f"{PATH}/events"])
def test_a_foreign_pool_is_hidden(pool: Pool, path: str) -> None:
    tenant("far")
    assert Caller("far-owner").get(path)[1]["type"] == "unknown-pool"
    assert Caller("north-owner").get(path)[0] == 200


def test_the_target_of_a_move_must_be_theirs_to_operate(caller: Caller) -> None:
    assert hotpath.client().exists("{east}")
    status, told = caller.post(
        "/pools/east/number-changes", action="move", numbers=[ONE], target="east", reason="x"
    )
    assert (status, told["changed"]) == (200, 0)
    assert list(told["unchanged"]) == [ONE]
