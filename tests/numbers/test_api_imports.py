"""Imports by API: a CSV text is read, its preview confirmed, undone or discarded."""

from typing import Any

import pytest

from numbers.models import Number, NumberImport, Pool
from poolsite.access.models import AuditEntry
from poolsite.jobs import runner
from tests.numbers.api_people import NOT_THEIRS, Caller, boss, refused
from tests.numbers.people import make_pool, tenant, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

CSV = "number,label\n13800000000,Desk\n138-0000-0001,\n13800000002.0,\nabc,\n13800000000,\n"
PATH = "/pools/east/imports"


@pytest.fixture
def pool() -> Pool:
    return make_pool(account=tenant("north").account)


@pytest.fixture
def caller(pool: Pool) -> Caller:
    return boss()


def work() -> None:
    """Run the latest import's job as the worker does."""
    runner.run(NumberImport.objects.latest("pk").job_id or 0)


def upload(caller: Caller) -> int:
    status, told = caller.post(PATH, csv=CSV, file_name="new.csv")
    assert (status, told["state"], told["file_name"]) == (201, "reading", "new.csv")
    assert told["progress"]["done"] == 0
    work()
    return int(told["id"])


def in_sql() -> set[str]:
    return set(Number.objects.values_list("value", flat=True))


def test_a_file_is_read_previewed_confirmed_and_undone(caller: Caller) -> None:
    key = upload(caller)
    one = f"{PATH}/{key}"
    status, told = caller.get(one)
    counts = ("unchanged", "cleaned", "suspicious", "refused", "to_import")
    assert (status, told["state"], told["progress"]) == (200, "previewed", None)
    assert [told[name] for name in counts] == [0, 2, 1, 2, 2]
    assert (told["can_confirm"], told["can_undo"], told["can_discard"]) == (True, False, True)
    assert in_sql() == set()
    assert caller.post(f"{one}/undo")[0] == 409
    assert caller.post(f"{one}/confirm", reason="contract")[1]["state"] == "importing"
    work()
    assert in_sql() == {"+8613800000000", "+8613800000001"}
    told = caller.post(f"{one}/confirm")[1]
    assert (told["state"], told["imported"]) == ("done", 2)
    assert caller.post(f"{one}/discard")[1]["type"] == "not-allowed"
    assert caller.get("/pools/east/numbers", import_id=key)[1]["data"][0]["import_id"] == key
    assert caller.post(f"{one}/undo", reason="wrong file")[1]["state"] == "undoing"
    work()
    assert (caller.get(one)[1]["state"], in_sql()) == ("undone", set())
    for action, reason in (("confirm", "contract"), ("undo", "wrong file")):
        assert AuditEntry.objects.get(action=f"numbers.import_{action}").reason == reason


def test_the_rows_are_paged_in_the_order_of_the_file(caller: Caller) -> None:
    one = f"{PATH}/{upload(caller)}"
    first = caller.get(f"{one}/rows", limit=3)[1]
    assert [row["row"] for row in first["data"]] == [2, 3, 4]
    assert [row["kind"] for row in first["data"]] == ["cleaned", "cleaned", "suspicious"]
    assert (first["data"][0]["number"], first["data"][0]["label"]) == ("+8613800000000", "Desk")
    assert first["data"][2]["number"] == ""
    assert first["data"][2]["remedy"]
    rest = caller.get(f"{one}/rows", cursor=first["next"])[1]
    assert [row["text"] for row in rest["data"]] == ["abc", "13800000000"]
    refused_rows = caller.get(f"{one}/rows", kind="refused")[1]["data"]
    assert [row["row"] for row in refused_rows] == [5, 6]
    assert caller.get(f"{one}/rows", kind="odd")[0] == 422


def test_a_preview_is_discarded(caller: Caller) -> None:
    one = f"{PATH}/{upload(caller)}"
    assert caller.post(f"{one}/discard")[1]["state"] == "discarded"
    assert caller.post(f"{one}/confirm")[0] == 409
    assert caller.get(f"{one}/rows")[1]["data"] == []
    assert in_sql() == set()


def test_imports_are_listed_by_state(caller: Caller) -> None:
    first, second = upload(caller), upload(caller)
    caller.post(f"{PATH}/{second}/discard")
    assert [row["id"] for row in caller.get(PATH)[1]["data"]] == [second, first]
    for state, found in (("previewed", [first]), ("discarded", [second]), ("stopped", [])):
        assert [row["id"] for row in caller.get(PATH, state=state)[1]["data"]] == found
    assert caller.get(PATH, state="odd")[0] == 422


@pytest.mark.parametrize(
    "body",
    [{}, {"csv": ""}, {"csv": CSV, "file_name": "a.xlsx"}, {"csv": CSV, "file_name": "../a.csv"}],
)
def test_a_bad_file_is_not_kept(caller: Caller, body: dict[str, Any]) -> None:
    assert caller.post(PATH, **body)[1]["type"] == "malformed"
    assert not NumberImport.objects.exists()


def test_an_import_of_another_pool_is_not_found(caller: Caller) -> None:
    key = upload(caller)
    make_pool("west")
    for path in (f"/pools/west/imports/{key}", f"{PATH}/{key + 1}", f"{PATH}/{2**70}"):
        assert caller.get(path)[1]["type"] == "unknown-import"


@pytest.mark.parametrize("verb", ["", "confirm", "undo", "discard"])
def test_who_may_not_operate_imports_nothing(pool: Pool, verb: str) -> None:
    key = upload(boss())
    path, body = (f"{PATH}/{key}/{verb}", {}) if verb else (PATH, {"csv": CSV})
    assert refused(pool, "POST", path, **body) == NOT_THEIRS
    assert NumberImport.objects.get().state == "previewed"


def test_who_may_view_the_pool_reads_its_imports(pool: Pool) -> None:
    key = upload(boss())
    tenant("far")
    for path in (PATH, f"{PATH}/{key}", f"{PATH}/{key}/rows"):
        assert Caller(secret=token_for(pool)).get(path)[0] == 200
        assert Caller("far-owner").get(path)[1]["type"] == "unknown-pool"
