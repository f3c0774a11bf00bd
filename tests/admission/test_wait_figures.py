"""Slots, permits and waits: the same by API, in the metrics, on the pages and the command line."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from poolsite import hotpath
from queueing.admission import gate as commands
from queueing.admission import overview
from tests.admission.people import make_gate, token_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def test_weights_and_waits_are_told_everywhere(client: Client, admin_user: object) -> None:
    gate = make_gate(cap=4)
    held = hotpath.run(commands.acquire("tower", "heavy", 3))
    assert held.granted
    assert hotpath.run(commands.acquire("tower", "light")).granted
    assert hotpath.run(commands.acquire("tower", "waits", 2)).reason == "full"

    headers = {"Authorization": f"Bearer {token_for(gate)}"}
    told = client.get("/api/v1/gates/tower", headers=headers).json()
    assert (told["used"], told["permits"], told["cap_now"]) == (4, 2, 4)
    assert told["wait_seconds"] == {"p50": 0.0, "p95": 0.0, "p99": 0.0}
    rows = client.get("/api/v1/gates/tower/holders", headers=headers).json()["data"]
    assert {row["holder"]: row["weight"] for row in rows} == {"heavy": 3, "light": 1}
    line = client.get("/api/v1/gates/tower/line", headers=headers).json()["data"]
    assert [(row["holder"], row["weight"]) for row in line] == [("waits", 2)]

    samples = {
        (sample.name, sample.labels.get("what"), sample.labels.get("le")): sample.value
        for metric in overview.collect()
        for sample in metric.samples
    }
    assert samples["poolsite_gate_permits", "used", None] == 4
    assert samples["poolsite_gate_permits", "permits", None] == 2
    assert samples["poolsite_gate_wait_seconds_bucket", None, "0.0"] == 2
    assert samples["poolsite_gate_wait_seconds_bucket", None, "+Inf"] == 2
    assert samples["poolsite_gate_wait_seconds_sum", None, None] == 0

    client.force_login(admin_user)
    page = client.get("/gates/tower/").content.decode()
    assert 'data-figure="permits">2<' in page
    assert 'data-figure="waits"' in page
    assert "4 of 4 slots in use" in client.get("/gates/tower/holders/").content.decode()

    out = StringIO()
    call_command("gate", "show", "tower", stdout=out)
    assert "used=4  permits=2" in out.getvalue()
    call_command("gate", "holders", "tower", stdout=out)
    assert "weight 3" in out.getvalue()


def test_a_gate_that_redis_lost_has_no_waits(client: Client) -> None:
    gate = make_gate()
    hotpath.run(commands.destroy("tower", 9_000_000_000_000_000))
    headers = {"Authorization": f"Bearer {token_for(gate)}"}
    told = client.get("/api/v1/gates/tower", headers=headers).json()
    assert told["wait_seconds"] == {"p50": None, "p95": None, "p99": None}
