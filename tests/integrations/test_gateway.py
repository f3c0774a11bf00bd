"""The simulated gateway, seen by senders and the platform: a process, its books, its reports."""

import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from integrations.simulator.gateway.outcomes import OUTCOMES, NetworkPace, plan, table
from tests.billing.campaigns.world import TOKEN, GatewayProcess
from tests.support.waiting import patient, until

pytestmark = pytest.mark.processes

QUICK = ("--interim-seconds", "0.05", "--final-seconds", "0.2", "--late-seconds", "1.5")
NUMBER = "+861380013000"


def planned(digit: str, fallback: str = "video", number: str = NUMBER, **pace: Any) -> Any:
    return plan(number + digit, "card", fallback, NetworkPace(**pace), random.Random(digit))


@pytest.mark.parametrize(
    ("digit", "fallback", "mode", "finals"),
    [
        ("0", "video", "native_card", ["native_card"]),
        ("1", "yuexin", "yuexin_resolved", ["yuexin_resolved"]),
        ("1", "video", "video", ["video"]),
        ("2", "yuexin", "yuexin_unresolved", ["yuexin_unresolved"]),
        ("3", "video", "video", ["video"]),
        ("3", "yuexin", "yuexin_unresolved", ["yuexin_unresolved"]),
        ("4", "video", "", [""]),
        ("5", "video", "native_card", ["native_card"]),
        ("6", "video", "native_card", ["native_card", "native_card"]),
        ("7", "video", "native_card", ["native_card"]),
        ("8", "video", "", ["native_card", ""]),
        ("9", "video", "", []),
    ],
)
def test_the_last_digit_decides(digit: str, fallback: str, mode: str, finals: list[str]) -> None:
    found = planned(digit, fallback)
    assert found.outcome == OUTCOMES[digit][0]
    assert found.mode == mode
    told = [report.mode if report.delivered else "" for report in found.reports if report.final]
    assert told == finals


def test_late_is_after_72_h_and_out_of_order_is_interim_after_final() -> None:
    assert planned("5").reports[0].after_seconds > 72 * 3600
    first, second = planned("7").reports
    assert (first.final, second.final) == (True, False)
    assert second.after_seconds > first.after_seconds


def test_a_contradiction_goes_both_ways_and_the_second_word_is_the_truth() -> None:
    for tens in "01":
        found = planned("8", number=NUMBER[:-1] + tens)
        first, second = found.reports
        assert first.delivered != second.delivered
        assert second.delivered == bool(found.mode)


def test_an_unexpected_mode_can_be_asked_for() -> None:
    found = planned("1", "yuexin", unexpected_every=1)
    assert found.mode == "video"


def test_the_table_names_every_digit() -> None:
    assert [line[0] for line in table()] == list("0123456789")


class Platform(ThreadingHTTPServer):
    """The platform's endpoint for status reports. It refuses while `closed`."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Door)
        self.reports: list[tuple[str, dict[str, Any]]] = []
        self.tokens: set[str] = set()
        self.closed = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def of(self, message_id: str) -> list[dict[str, Any]]:
        return [report for _, report in self.reports if report["message_id"] == message_id]


class _Door(BaseHTTPRequestHandler):
    server: Platform

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.tokens.add(self.headers["Authorization"])
        status = 503 if self.server.closed else 200
        if not self.server.closed:
            self.server.reports += [(self.path, report) for report in body]
        answer = json.dumps([{"status": 200} for _ in body]).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def platform() -> Iterator[Platform]:
    server = Platform()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def gateway(platform: Platform, tmp_path: Path) -> Iterator[GatewayProcess]:
    process = GatewayProcess(tmp_path, platform.url, QUICK).start()
    yield process
    process.kill()


def body(digit: str = "0", **more: Any) -> dict[str, Any]:
    return {
        "number": NUMBER + digit,
        "native": {"kind": "card"},
        "fallback": {"kind": "yuexin"},
        **more,
    }


def hand_over(
    gateway: GatewayProcess, message_id: str, token: str = TOKEN, **given: Any
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    url = f"{gateway.url}/accounts/acme/messages/{message_id}"
    return httpx.put(url, json=given or body(), headers=headers, timeout=patient(20))


def test_a_message_is_taken_once_by_its_id(gateway: GatewayProcess) -> None:
    assert hand_over(gateway, "m1").status_code == 202
    assert hand_over(gateway, "m1").status_code == 200
    assert hand_over(gateway, "m1", **body("1")).status_code == 409
    assert hand_over(gateway, "m2", number="12", native={"kind": "card"}).status_code == 422
    assert hand_over(gateway, "m3", token="another").status_code == 401
    assert set(gateway.rows()) == {"m1"}
    assert gateway.repeats == 1


def test_several_messages_are_answered_one_by_one(gateway: GatewayProcess) -> None:
    items = [{"message_id": "a", **body()}, {"message_id": "b", **body(), "number": "x"}, {}]
    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = f"{gateway.url}/accounts/acme/messages"
    answer = httpx.post(url, json=items, headers=headers, timeout=patient(20))
    assert [item["status"] for item in answer.json()] == [202, 422, 422]
    assert httpx.post(url, content=b"{", headers=headers, timeout=patient(20)).status_code == 422
    assert httpx.post(url, json=[], headers=headers, timeout=patient(20)).status_code == 422


def test_interim_and_final_reports_come_in_order_and_by_token(
    gateway: GatewayProcess, platform: Platform
) -> None:
    hand_over(gateway, "m1", **body("1"))
    until(lambda: len(platform.of("m1")) == 2, 30)
    interim, final = platform.of("m1")
    assert (interim["final"], interim["delivered"]) == (False, False)
    assert (final["final"], final["delivered"]) == (True, True)
    assert final["mode"] == "yuexin_resolved"
    assert platform.tokens == {"Bearer reports"}
    assert platform.reports[0][0] == "/api/v1/accounts/acme/settlements"
    assert gateway.rows()["m1"]["mode"] == "yuexin_resolved"


def test_reports_wait_for_a_platform_that_is_away(
    gateway: GatewayProcess, platform: Platform
) -> None:
    platform.closed = True
    hand_over(gateway, "m6", **body("6"))
    until(lambda: gateway.rows()["m6"]["ended"], 30)
    assert platform.reports == []
    platform.closed = False
    until(lambda: len(platform.of("m6")) == 2, 30)


def test_a_gateway_that_was_killed_knows_its_messages_and_reports_them(
    gateway: GatewayProcess, platform: Platform
) -> None:
    platform.closed = True
    for digit in "045":
        hand_over(gateway, f"m{digit}", **body(digit))
    gateway.kill()
    with (gateway.folder / "ledger.jsonl").open("a") as file:
        file.write('{"op": "accept", "account": "acme", "i')  # truncated when it was killed
    platform.closed = False
    gateway.start()
    until(lambda: len(platform.of("m0")) == 1 and len(platform.of("m4")) == 2, 30)
    until(lambda: len(platform.of("m5")) == 1, 30)
    assert hand_over(gateway, "m0").status_code == 200
    until(lambda: all(row["ended"] for row in gateway.rows().values()), 30)
    assert {key: row["mode"] for key, row in gateway.rows().items()} == {
        "m0": "native_card",
        "m4": "",
        "m5": "native_card",
    }


def test_what_never_comes_never_comes(gateway: GatewayProcess, platform: Platform) -> None:
    for digit in "90":
        hand_over(gateway, f"m{digit}", **body(digit))
    until(lambda: platform.of("m0"), 30)
    until(lambda: gateway.rows()["m9"]["ended"], 30)
    assert platform.of("m9") == []
    assert not gateway.rows()["m9"]["delivered"]


def test_a_config_without_a_token_is_one_sentence(tmp_path: Path) -> None:
    import subprocess
    import sys

    config = tmp_path / "simulation.json"
    config.write_text("{}")
    module = "integrations.simulator.gateway"
    found = subprocess.run(
        [sys.executable, "-m", module, "--config", str(config), "--port", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert found.stderr.count("\n") == 1
    assert "report_token" in found.stderr
