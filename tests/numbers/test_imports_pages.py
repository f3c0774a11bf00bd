"""The list of numbers and the imports over HTTP: filters, paging, verbs, other tenants."""

import json
from typing import Any

import pytest
from django.test import Client

from numbers import bulk_jobs
from numbers import pool as commands
from numbers.models import Number
from numbers.services import imports, numbers_add
from poolsite import hotpath
from poolsite.jobs import runner
from poolsite.jobs.models import Job
from tests.access.world import World, make_world
from tests.numbers.import_world import csv_file, in_redis, in_sql, make_pool


@pytest.fixture
def world(transactional_db, clean_redis) -> World:
    hotpath.reset()
    return make_world()


@pytest.fixture
def pool(world):
    made = make_pool(account=world.own)
    numbers_add(actor="test", pool=made, values=[f"+86138000000{n:02}" for n in range(40)])
    return made


def post(client: Client, url: str, **body: Any) -> Any:
    return client.post(url, json.dumps(body), content_type="application/json")


def numbers_on(answer: Any) -> list[str]:
    return [row.number.value for row in answer.context["rows"]]


@pytest.mark.parametrize("sort", ["", "-number"])
def test_next_and_back_walk_every_number_once_in_both_orders(world, pool, sort) -> None:
    client = world.client("looker")
    answer = client.get(f"/numbers/?sort={sort}")
    pages = [numbers_on(answer)]
    while answer.context["next_url"]:
        answer = client.get("/numbers/" + answer.context["next_url"])
        pages.append(numbers_on(answer))
    seen = [number for page in pages for number in page]
    assert seen == sorted(in_sql(pool), reverse=bool(sort))
    answer = client.get("/numbers/" + answer.context["back_url"])
    assert numbers_on(answer) == pages[-2]


def test_a_beginning_is_found_as_people_type_it_and_behind_the_country_code(world, pool) -> None:
    client = world.client("looker")
    for typed in ("+86 138 0000 0007", "138-0000-0007", "0086 13800000007"):
        assert numbers_on(client.get("/numbers/", {"q": typed})) == ["+8613800000007"], typed
    assert numbers_on(client.get("/numbers/", {"q": "abc"})) == []


def test_a_foreign_tenant_sees_none_of_the_numbers_anywhere(world, pool, tmp_path) -> None:
    found = imports.preview_now(pool, csv_file(tmp_path, [["101"]]), "test")
    client = world.client("foreign")
    assert numbers_on(client.get("/numbers/")) == []
    states = client.get("/numbers/states/", {"n": "+8613800000000"})
    assert states.json() == {"rows": []}
    assert b"13800000000" not in b"".join(client.get("/numbers/export/").streaming_content)
    assert client.get(f"/numbers/?panel={found.pk}").status_code == 404
    assert client.get("/imports/").context["rows"] == []


def test_the_marked_numbers_alone_are_deleted_and_a_reason_is_needed(world, pool) -> None:
    client = world.client("operate")
    marked = ["+8613800000000", "+8613800000001"]
    body = {"verb": "delete", "numbers": marked}
    assert post(client, "/numbers/bulk/", **body, reason=" ").status_code == 422
    assert len(in_sql(pool)) == 40
    assert post(client, "/numbers/bulk/", **body, reason="gone").json()["changed"] == 2
    assert in_sql(pool) == in_redis(pool)
    assert not in_sql(pool) & set(marked)


def test_a_whole_filter_is_done_by_a_job_in_chunks_when_it_is_large(
    world, pool, monkeypatch
) -> None:
    monkeypatch.setattr("numbers.services.bulk.AT_ONCE", 10)
    monkeypatch.setattr(bulk_jobs, "CHUNK", 7)
    client = world.client("operate")
    body = {"verb": "quarantine", "all": True, "filter": {"q": "1380000000"}, "reason": "audit"}
    answer = post(client, "/numbers/bulk/", **body)
    assert answer.status_code == 200
    assert answer.json()["changed"] == 10
    answer = post(client, "/numbers/bulk/", **{**body, "filter": {"pool": pool.slug}})
    assert answer.status_code == 202
    runner.run(answer.json()["job"])
    job = Job.objects.get(pk=answer.json()["job"])
    assert (job.state, job.done, job.result) == ("done", 40, {"changed": 30, "stayed": 0})
    assert not Number.objects.filter(quarantined_at=None).exists()


def test_a_hang_up_of_a_filter_ends_the_calls_that_were_up_when_it_was_asked_for(
    world, pool, monkeypatch
) -> None:
    monkeypatch.setattr("numbers.services.bulk.AT_ONCE", 10)
    numbers = sorted(in_sql(pool))
    for number in numbers[:2]:
        hotpath.run(commands.event(pool.slug, commands.Event.of("reg", number)))
    hotpath.run(commands.event(pool.slug, commands.Event.of("call", numbers[0])))
    body = {"verb": "hangup", "all": True, "filter": {"pool": pool.slug}, "reason": "stuck"}
    answer = post(world.client("operate"), "/numbers/bulk/", **body)
    hotpath.run(commands.event(pool.slug, commands.Event.of("call", numbers[1])))
    runner.run(answer.json()["job"])
    found = hotpath.run(commands.states(pool.slug, numbers[:2])).by_number
    assert [found[number].busy for number in numbers[:2]] == [False, True]


def test_a_range_is_added_and_one_that_ends_before_it_begins_is_refused(world, pool) -> None:
    client = world.client("operate")
    body = {"pool": pool.slug, "first": "13900000000", "last": "13900000099"}
    assert post(client, "/numbers/add-range/", **body).json() == {"added": 100, "left": 0}
    body = {"pool": pool.slug, "first": "13900000099", "last": "13900000000"}
    refused = post(client, "/numbers/add-range/", **body)
    assert refused.status_code == 422
    assert refused.json()["detail"] == "The last number is below the first. Nothing was added."


def test_the_refused_rows_come_as_csv_without_a_formula(world, pool, tmp_path) -> None:
    rows = [["number"], ["=1+1"], ["+8613800000000"]]
    found = imports.preview_now(pool, csv_file(tmp_path, rows), "test")
    answer = world.client("looker").get(f"/imports/{found.pk}/refused/")
    text = b"".join(answer.streaming_content).decode()
    assert '2,\'=1+1,,,"A formula, not a value",Paste the column as values' in text
    assert "3,+8613800000000,,,Already in this pool" in text


def test_a_file_goes_from_upload_to_undo_by_forms_alone(world, pool, tmp_path) -> None:
    client = world.client("operate")
    path = csv_file(tmp_path, [["13900000001"], ["x"]])
    with path.open("rb") as file:
        answer = client.post("/imports/upload/", {"pool": pool.slug, "file": file})
    import_id = int(answer["Location"].rpartition("=")[2])

    def work() -> bytes:
        runner.run(Job.objects.latest("pk").pk)
        return bytes(client.get(f"/numbers/?panel={import_id}").content)

    assert b"Import 1 number" in work()
    client.post(f"/imports/{import_id}/confirm/")
    assert b"1 number added" in work()
    client.post(f"/imports/{import_id}/undo/", {"reason": "wrong"})
    assert b"was undone" in work()
    assert len(in_sql(pool)) == 40


def test_a_refused_upload_says_why_beside_the_panel(world, pool, tmp_path) -> None:
    path = csv_file(tmp_path, [["1"]], "numbers.pdf")
    with path.open("rb") as file:
        answer = world.client("operate").post(
            "/imports/upload/", {"pool": pool.slug, "file": file}, follow=True
        )
    assert "Choose a CSV or XLSX file. Nothing was added." in answer.content.decode()
