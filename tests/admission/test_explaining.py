"""Why a device gets no task: the same answer by API, on the page and on the command line."""

import json
from datetime import timedelta
from io import StringIO

import pytest
import redis
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from queueing.admission import gate as commands
from queueing.admission import selectors, services
from queueing.admission.models import Gate
from tests.admission.people import (
    done,
    drain,
    load_due,
    make_batch,
    make_gate,
    report,
    token_for,
)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def why(gate: Gate, device: str) -> str:
    return selectors.explain(gate, device).reason


def test_a_device_of_no_batch_has_no_task() -> None:
    gate = make_gate()
    make_batch(gate, ["a"])
    assert why(gate, "nobody") == "no-task"


def test_full_with_place_and_estimate_then_its_turn_then_the_task() -> None:
    gate = make_gate(cap=1)
    make_batch(gate, ["a", "b", "c", "d"])
    first = report("a")
    assert why(gate, "a") == "running"
    assert [report(each).reason for each in "bcd"] == ["full"] * 3
    found = selectors.explain(gate, "c")
    assert (found.reason, found.place, found.used, found.cap) == ("full", 2, 1, 1)
    assert found.estimate_seconds is not None
    assert found.reported_at is not None
    assert "1 of 1" in found.text
    report("a", done(first))
    assert [why(gate, each) for each in "bcd"] == ["next-report", "next-report", "turn"]
    drain(gate)
    assert why(gate, "a") == "done"


def test_asking_changes_nothing() -> None:
    gate = make_gate(cap=1)
    make_batch(gate, ["a", "b"])
    before = hotpath.run(commands.show(gate.slug))
    why(gate, "a")
    why(gate, "b")
    after = hotpath.run(commands.show(gate.slug))
    assert before is not None
    assert after is not None
    assert (after.seq, after.waiting, after.refused) == (before.seq, 0, 0)


def test_a_window_that_is_not_open_or_has_closed() -> None:
    gate = make_gate()
    now = timezone.now()
    services.batch_create(
        actor="test",
        gate=gate,
        name="later",
        csv=b"a,x",
        opens_at=now + timedelta(hours=2),
        closes_at=now + timedelta(hours=3),
    )
    found = selectors.explain(gate, "a")
    assert (found.reason, found.batch is not None) == ("not-open", True)
    assert "later" in found.text
    batch = make_batch(gate, ["b"])
    hotpath.run(commands.batch_extend(gate.slug, batch.pk, 1_700_000_000_000_000))
    assert why(gate, "b") == "window-closed"
    assert report("b").reason == "closed"
    hotpath.run(commands.sweep(gate.slug))
    drain(gate)
    assert why(gate, "b") == "window-closed"


def test_a_window_that_opens_later_is_told_to_the_device_that_reports() -> None:
    gate = make_gate()
    now = timezone.now()
    services.batch_create(
        actor="test",
        gate=gate,
        name="soon",
        csv=b"a,x",
        opens_at=now + timedelta(seconds=55),  # loaded a minute ahead
        closes_at=now + timedelta(hours=1),
    )
    load_due()
    assert report("a").reason == "not open"
    assert why(gate, "a") == "not-open"


def test_a_paused_and_a_cancelled_batch_and_a_paused_gate() -> None:
    gate = make_gate()
    batch = make_batch(gate, ["a"])
    services.gate_pause(actor="test", gate=gate, reason="tests")
    assert why(gate, "a") == "gate-paused"
    services.gate_resume(actor="test", gate=gate, reason="")
    services.batch_pause(actor="test", batch=batch, reason="tests")
    assert why(gate, "a") == "batch-paused"
    services.batch_cancel(actor="test", batch=batch, reason="tests")
    assert why(gate, "a") == "batch-cancelled"
    drain(gate)
    assert why(gate, "a") == "batch-cancelled"


def test_the_rate_a_failure_and_attempts_that_are_used_up(clean_redis: RedisServer) -> None:
    gate = make_gate(attempts=1, rate_per_second=1)
    make_batch(gate, ["a", "b", "c"])
    first = report("a")
    starts = commands.GateKeys(gate.slug).tag + ":starts"
    client = redis.Redis.from_url(clean_redis.url)
    client.lset(starts, 0, "9000000000000000")  # so that this test is not in a hurry
    assert why(gate, "b") == "rate"
    report("a", done(first, ok=False))
    drain(gate)
    assert why(gate, "a") == "failed"
    client.unlink(starts)
    client.close()
    second = report("b")
    assert second.token is not None
    hotpath.run(commands.free(gate.slug, "@b", second.token, "tests"))
    drain(gate)
    found = selectors.explain(gate, "b")
    assert (found.reason, found.attempts) == ("attempts-used", 1)


def test_a_task_that_is_not_loaded_yet_and_a_gate_that_redis_lost() -> None:
    gate = make_gate()
    make_batch(gate, ["a"], load=False)
    assert why(gate, "a") == "loading"
    hotpath.run(commands.destroy(gate.slug, 9_000_000_000_000_000))
    assert why(gate, "a") == "recovering"


def test_the_api_the_page_and_the_command_say_the_same(client: Client, admin_user: object) -> None:
    gate = make_gate(cap=1)
    make_batch(gate, ["a", "b"])
    report("a")
    report("b")
    headers = {"Authorization": f"Bearer {token_for(gate)}"}
    told = client.get("/api/v1/gates/tower/devices/b", headers=headers)
    assert told.status_code == 200
    body = json.loads(told.content)
    assert (body["reason"], body["place"], body["gate"]) == ("full", 1, "tower")
    assert client.get("/api/v1/gates/tower/devices/@b", headers=headers).status_code == 422
    client.force_login(admin_user)
    page = client.get("/gates/tower/device/", {"q": "b"})
    assert 'data-reason="full"' in page.content.decode()
    assert "data-reason" not in client.get("/gates/tower/device/", {"q": "@b"}).content.decode()
    assert 'action="/gates/tower/device/"' in client.get("/gates/tower/").content.decode()
    out = StringIO()
    call_command("gate", "explain", "tower", "b", stdout=out)
    assert out.getvalue().startswith("b: full. All slots are in use (1 of 1).")
