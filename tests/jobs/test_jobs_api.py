"""Jobs in the API: the same rights as on their page, and what requests change."""

import json
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from poolsite.access import services
from poolsite.access.models import AuditEntry
from poolsite.jobs.models import Job
from tests.access.world import World, make_world

ROOT = "/api/v1/jobs"
KEY = {"headers": {"Idempotency-Key": "one"}}


@pytest.fixture
def world(db: None) -> World:
    return make_world()


@pytest.fixture
def job(world: World) -> Job:
    """A sender's job of the account `own`, half done."""
    return Job.objects.create(
        kind="test.count",
        prefix="cnt",
        account=world.own,
        actor=world.users["sender"],
        state=Job.State.RUNNING,
        done=5,
        total=10,
        message="Account 5",
        result={"made": 5},
        started_at=timezone.now(),
    )


def call(
    client: Client, method: str, path: str = "", body: Any = None, **more: Any
) -> tuple[int, dict[str, Any]]:
    given = {} if method == "get" else {"data": json.dumps(body or {})}
    given |= more
    answer = getattr(client, method)(ROOT + path, content_type="application/json", **given)
    return answer.status_code, json.loads(answer.content)


def ids(world: World, reader: str, asked: str = "") -> list[str]:
    status, answer = call(world.client(reader), "get", asked)
    assert status == 200
    return [row["id"] for row in answer["data"]]


@pytest.mark.parametrize(
    ("reader", "may_see", "may_cancel"),
    [
        ("sender", 200, 200),
        ("owner", 200, 200),
        ("admin", 200, 200),
        ("operate", 200, 200),
        ("looker", 200, 403),
        ("agent", 403, 403),
        ("foreign", 404, 404),
        ("roleless", 404, 404),
    ],
)
def test_who_sees_and_cancels_a_job(
    world: World, job: Job, reader: str, may_see: int, may_cancel: int
) -> None:
    client, path = world.client(reader), f"/{job.public_id}"
    status, answer = call(client, "get", path)
    assert (status, answer.get("type")) == (
        may_see,
        {200: "test.count", 403: "forbidden", 404: "unknown-job"}[may_see],
    )
    assert (job.public_id in ids(world, reader)) is (may_see == 200)
    status, answer = call(client, "post", f"{path}/cancel", {"reason": "Wrong file"})
    assert status == may_cancel
    job.refresh_from_db()
    assert job.state == ("cancelling" if may_cancel == 200 else "running")
    entries = AuditEntry.objects.filter(action="jobs.cancel", reason="Wrong file")
    told = [(entry.actor_name, entry.thing_id) for entry in entries]
    assert told == ([(reader, str(job.pk))] if may_cancel == 200 else [])


def test_whoever_left_the_account_neither_sees_nor_stops_the_jobs_started_there(
    world: World, job: Job
) -> None:
    services.membership_set(user=world.users["sender"], account=world.own, roles=(), actor="test")
    client, path = world.client("sender"), f"/{job.public_id}"
    assert call(client, "get", path)[0] == 404
    assert call(client, "post", f"{path}/cancel")[0] == 404
    assert client.post(f"/jobs/{job.pk}/cancel/").status_code == 404
    assert ids(world, "sender") == []
    job.refresh_from_db()
    assert job.state == "running"


def test_a_job_is_told_with_its_progress(world: World, job: Job) -> None:
    told = call(world.client("owner"), "get", f"/{job.public_id}")[1]
    expected = {
        "id": job.public_id,
        "type": "test.count",
        "state": "running",
        "done": 5,
        "total": 10,
        "message": "Account 5",
        "result": {"made": 5},
        "account": "own",
        "started_by": "sender",
        "finished_at": None,
    }
    assert {name: told[name] for name in expected} == expected


def test_no_token_sees_jobs_not_even_the_platforms(world: World, job: Job) -> None:
    _, secret = services.token_create(name="t", account=None, resources=["*"], actor="test")
    client = Client(headers={"authorization": f"Bearer {secret}"})
    for method, path in (
        ("get", ""),
        ("get", f"/{job.public_id}"),
        ("post", f"/{job.public_id}/cancel"),
    ):
        status, answer = call(client, method, path)
        assert (status, answer["type"]) == (403, "forbidden")
    assert Job.objects.get().state == Job.State.RUNNING


def test_a_cancelled_job_stays_cancelled_and_a_key_is_answered_once(world: World, job: Job) -> None:
    Job.objects.update(state=Job.State.QUEUED)
    client, path = world.client("owner"), f"/{job.public_id}/cancel"
    first = call(client, "post", path, **KEY)
    assert (first[0], first[1]["state"]) == (200, "cancelled")
    assert call(client, "post", path, **KEY) == first
    assert call(client, "post", path)[1]["state"] == "cancelled"
    assert AuditEntry.objects.filter(action="jobs.cancel").count() == 1


def test_the_list_is_filtered_and_has_pages(world: World, job: Job) -> None:
    other = Job.objects.create(kind="test.read", prefix="read", account=world.other)
    done = Job.objects.create(kind="test.read", prefix="read", state="done", account=world.own)
    names = [each.public_id for each in (done, other, job)]
    assert ids(world, "looker") == names
    assert ids(world, "owner") == [names[0], names[2]]
    assert ids(world, "foreign") == [names[1]]
    assert ids(world, "looker", "?state=done") == names[:1]
    assert ids(world, "looker", "?type=test.count") == names[2:]
    assert ids(world, "looker", "?account=other") == [names[1]]
    first = call(world.client("looker"), "get", "?limit=2")[1]
    assert [row["id"] for row in first["data"]] == names[:2]
    assert ids(world, "looker", f"?limit=2&cursor={first['next']}") == names[2:]


@pytest.mark.parametrize("path", ["/cnt-9999", "/imp-{pk:04d}", "/cnt-9999999999999999999"])
def test_an_id_of_no_job_is_told_so(world: World, job: Job, path: str) -> None:
    """With another kind's prefix, the number is not this job's ID."""
    answer = call(world.client("looker"), "get", path.format(pk=job.pk))
    assert (answer[0], answer[1]["type"]) == (404, "unknown-job")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("get", "?state=broken", None),
        ("get", "?type=%00", None),
        ("get", "?kind=test.count", None),
        ("get", "/17", None),
        ("post", "/{id}/cancel", {"reason": "x" * 201}),
        ("post", "/{id}/cancel", {"reason": "two\nlines"}),
        ("post", "/{id}/cancel", {"force": True}),
    ],
)
def test_bad_input_is_named_and_changes_nothing(
    world: World, job: Job, method: str, path: str, body: Any
) -> None:
    answer = call(world.client("owner"), method, path.replace("{id}", job.public_id), body)
    assert (answer[0], answer[1]["type"]) == (422, "malformed")
    assert Job.objects.get().state == Job.State.RUNNING
