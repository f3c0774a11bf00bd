"""Devices of the simulator: kept connections, another web process after a fault, and mishaps."""

import asyncio
import hashlib
import hmac
import json
import random
import time
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from integrations.poolsite_client import MemoryStore, Verifier
from integrations.simulator.devices.device import Device, DeviceTally, Habits
from integrations.simulator.devices.reports import FAULTS, Reports
from integrations.simulator.external.__main__ import Checks, build
from integrations.simulator.external.service import System
from tests.support.ports import free_port

NOTHING = {"task": None, "token": None, "deadline": None, "retry_after": 7, "results": []}
QUIET = {"unsent": 0.0, "lost": 0.0, "doubled": 0.0, "reordered": 0.0, "late": 0.0}


@dataclass
class Platform:
    """A web process that logs what it received, and may hang up instead of answering."""

    url: str = ""
    connections: int = 0
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    silent: bool = False
    answer: dict[str, Any] = field(default_factory=lambda: dict(NOTHING))

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                size = int(head.lower().partition(b"content-length: ")[2].split()[0])
                body = json.loads(await reader.readexactly(size))
                self.requests.append((head.split()[1].decode(), body))
                if self.silent:
                    break
                told = json.dumps(self.answer).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(told), told))
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def platform() -> AsyncIterator[Platform]:
    made = Platform()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield made


def device(reports: Reports, http: httpx.AsyncClient, **habits: float) -> Device:
    made = Habits(period_seconds=30.0, **{**QUIET, **habits})
    return Device("d1", reports, http, random.Random(1), made, DeviceTally())


async def test_reports_share_kept_connections() -> None:
    async with platform() as web:
        reports = Reports([web.url], "tower", "secret")
        for _ in range(5):
            assert await reports.post("d1", {"results": []}) == (200, NOTHING)
        reports.close()
    assert web.connections == 1
    assert web.requests == [("/api/v1/devices/d1/report?gate=tower", {"results": []})] * 5


async def test_after_a_fault_the_next_web_process_is_asked_and_the_first_one_later() -> None:
    gone = f"http://127.0.0.1:{free_port()}"
    async with platform() as web:
        reports = Reports([gone, web.url], "", "secret")
        with pytest.raises(FAULTS):
            await reports.post("d1", {})
        assert (await reports.post("d1", {}))[0] == 200
        web.silent = True
        with pytest.raises(FAULTS):
            await reports.post("d1", {})
        web.silent = False
        with pytest.raises(FAULTS):  # its turn again, and it is still away
            await reports.post("d1", {})
        assert (await reports.post("d1", {}))[0] == 200
        reports.close()


@pytest.mark.parametrize(
    ("habit", "sent"),
    [("unsent", []), ("doubled", [1, 1, 2, 2]), ("reordered", [1, 2, 1]), ("lost", [1, 2])],
)
async def test_each_mishap_is_played(habit: str, sent: list[int]) -> None:
    async with platform() as web, httpx.AsyncClient() as http:
        reports = Reports([web.url], "", "secret")
        one = device(reports, http, **{habit: 1.0})
        heard = []
        for number in (1, 2):
            one.state.results = [{"task": f"g.{number}", "token": number, "ok": True}]
            heard.append(await one.report())
        reports.close()
    assert [body["results"][0]["token"] for _, body in web.requests] == sent
    told = habit in ("doubled", "reordered")
    assert heard == ([7.0, 7.0] if told else [30.0, 30.0])


async def test_a_result_is_kept_until_it_was_taken() -> None:
    async with platform() as web, httpx.AsyncClient() as http:
        reports = Reports([web.url], "", "secret")
        one = device(reports, http)
        one.state.results = [{"task": "g.1", "token": 1, "ok": True}]
        web.silent = True
        with pytest.raises(FAULTS):
            await one.report()
        assert one.state.results
        web.silent = False
        web.answer = {**NOTHING, "results": [{"task": "g.1", "outcome": "accepted"}]}
        await one.report()
        assert (one.state.results, one.tally.outcomes) == ([], {"accepted": 1})
        reports.close()


async def test_an_external_system_with_a_key_works_for_signed_permits_alone() -> None:
    key = "1f" * 32
    system = System(strong=2)
    checks = Checks(Verifier([key], store=MemoryStore()), "tower")
    transport = httpx.ASGITransport(app=build(system, checks))
    deadline = time.time_ns() // 1_000 + 3_600_000_000

    def permit(token: int, gate: str = "tower") -> str:
        told = {"gate": gate, "holder": "@d1", "token": token, "deadline": deadline}
        text = "v1." + urlsafe_b64encode(json.dumps(told).encode()).rstrip(b"=").decode()
        digest = hmac.new(bytes.fromhex(key), text.encode(), hashlib.sha256).digest()
        return f"{text}.{urlsafe_b64encode(digest).rstrip(b'=').decode()}"

    claimed = {"client": "d1", "token": 9, "deadline": 9 * 10**15, "seconds": 0}
    async with httpx.AsyncClient(transport=transport, base_url="http://external") as http:
        for signed, reason in (
            (None, "malformed"),
            (permit(5, "other"), "wrong gate"),
            (permit(5), ""),
            (permit(4), "superseded"),
        ):
            done = await http.post("/work", json={**claimed, "permit": signed})
            assert (done.json()["reason"], done.status_code) == (reason, 409 if reason else 200)
    assert (system.most, system.refused) == (1, 3)
