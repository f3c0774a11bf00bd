"""The shipped nginx configuration: in front of two real web processes, used by a real Chromium."""

import gzip
import http.client
import json
import signal
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.management import call_command
from django.test import Client, override_settings
from django.utils.functional import empty
from playwright.async_api import Browser

from poolsite.access.middleware import REQUEST_ID
from tests.browser.console import window
from tests.browser.running import APPLICATION, Console, running
from tests.browser.stage import POOL
from tests.deploy.edge import SHIPPED, Nginx, changed, on_loopback
from tests.live.servers import WebServer
from tests.operations.hostile import certified
from tests.support.ports import free_port
from tests.support.waiting import until

pytest_plugins = ["tests.browser.plugin"]
pytestmark = [
    pytest.mark.prove,
    pytest.mark.browser,
    pytest.mark.needs("chromium", "nginx"),
]
PASSED_ON = "X-Request-ID"
GIVEN = "from-the-caller.0001"
LIMIT_BYTES = 34 * 1024 * 1024
PROTOCOL = "performance.getEntriesByType('navigation')[0].nextHopProtocol"
BUSY = "document.querySelector('[data-figure=busy]').textContent === wanted"


@dataclass
class Edge:
    """nginx, the two web processes behind it, and an address of each kind."""

    console: Console
    nginx: Nginx
    webs: list[WebServer]
    http: str
    https: str
    trust: ssl.SSLContext
    static: Path

    def client(self, **options: object) -> httpx.Client:
        """Return an HTTP client that trusts nginx's certificate."""
        return httpx.Client(base_url=self.https, verify=self.trust, timeout=30, **options)

    def told(self) -> list[dict[str, str]]:
        """Return the lines of the access log."""
        lines = (self.nginx.folder / "access.log").read_text().splitlines()
        return [json.loads(line) for line in lines]


def collect(folder: Path) -> Path:
    """Do what `manage.py collectstatic` does on a machine with this data folder."""
    static = folder / "staticfiles"
    with override_settings(STATIC_ROOT=str(static), DEBUG=False):
        staticfiles_storage._wrapped = empty
        call_command("collectstatic", interactive=False, verbosity=0)
    staticfiles_storage._wrapped = empty
    return static


@pytest.fixture(scope="module")
def edge(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Edge]:
    """A site as docs/operations describes it, on separate loopback ports."""
    folder = tmp_path_factory.mktemp("edge")
    static = collect(folder)
    plain, tls = free_port(), free_port()
    settings = {
        "POOLSITE_BEHIND_TLS": "1",
        "POOLSITE_TRUSTED_PROXIES": "127.0.0.1/32",
        "POOLSITE_ALLOWED_HOSTS": "127.0.0.1",
        "POOLSITE_METRICS_TOKEN": "metrics-token-of-this-test",
    }
    with running(browser, folder, **settings) as console:
        console.stage("tests.browser.stage")
        second = WebServer(console.site, "uvicorn", APPLICATION).start()
        _, trusted = certified(folder, "127.0.0.1")
        ports = {
            "127.0.0.1:8101": f"127.0.0.1:{console.web.port}",
            "127.0.0.1:8102": f"127.0.0.1:{second.port}",
        }
        text = changed(on_loopback(SHIPPED.read_text(), folder, plain, tls), ports)
        nginx = Nginx(folder, text)
        checked = nginx.check()
        assert checked.returncode == 0, checked.stderr
        assert "[warn]" not in checked.stderr
        nginx.start()
        trust = ssl.create_default_context(cafile=trusted)
        try:
            yield Edge(
                console,
                nginx,
                webs=[console.web, second],
                http=f"http://127.0.0.1:{plain}",
                https=f"https://127.0.0.1:{tls}",
                trust=trust,
                static=static,
            )
        finally:
            nginx.stop()
            second.stop()


def test_plain_http_leads_to_https_and_answers_the_certificate_authority(edge: Edge) -> None:
    challenge = edge.nginx.folder / "html" / ".well-known" / "acme-challenge" / "token"
    challenge.parent.mkdir(parents=True)
    challenge.write_text("proof")
    with httpx.Client(base_url=edge.http) as client:
        assert client.get("/.well-known/acme-challenge/token").text == "proof"
        answer = client.get("/pools/?state=idle")
    assert answer.status_code == 301
    assert answer.headers["Location"] == "https://127.0.0.1/pools/?state=idle"
    assert answer.headers["Server"] == "nginx"


def test_static_files_come_from_the_folder_compressed_and_kept(edge: Edge) -> None:
    names = json.loads((edge.static / "staticfiles.json").read_text())["paths"]
    hashed = edge.static / names["css/components.css"]
    with edge.client() as client:
        kept = client.get(f"/static/{names['css/components.css']}")
        plain = client.get("/static/css/components.css", headers={"Accept-Encoding": "identity"})
        script = client.get(f"/static/{names['live.js']}")
        missing = client.get("/static/js/none.js")
        outside = client.get("/static/..%2fkey.pem")
    assert kept.headers["Content-Encoding"] == "gzip"
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert kept.headers["X-Content-Type-Options"] == "nosniff"
    assert kept.headers["Vary"] == "Accept-Encoding"
    assert kept.content == hashed.read_bytes()
    assert gzip.decompress(Path(f"{hashed}.gz").read_bytes()) == kept.content
    assert plain.headers["Cache-Control"] == "no-cache"
    assert "Content-Encoding" not in plain.headers
    assert script.headers["Content-Type"].endswith("javascript; charset=utf-8")
    assert (missing.status_code, outside.status_code) == (404, 404)
    assert "uvicorn" not in {kept.headers["Server"], missing.headers["Server"]}


def test_the_application_sees_the_client_and_the_request_keeps_its_name(edge: Edge) -> None:
    with edge.client() as client:
        named = client.get("/login/", headers={PASSED_ON: GIVEN, "X-Forwarded-For": "8.8.8.8"})
        unnamed = client.get("/login/", headers={PASSED_ON: "no id: spaces"})
        closed = client.get(
            "/metrics", headers={"Authorization": "Bearer metrics-token-of-this-test"}
        )
    assert named.status_code == 200
    assert "max-age=31536000" in named.headers["Strict-Transport-Security"]
    assert named.headers[PASSED_ON] == GIVEN
    made = unnamed.headers[PASSED_ON]
    assert REQUEST_ID.match(made)
    assert closed.status_code == 403
    until(lambda: {GIVEN, made} <= {line["request_id"] for line in edge.told()})
    line = next(line for line in edge.told() if line["request_id"] == made)
    assert (line["status"], line["upstream_status"]) == ("200", "200")
    assert float(line["upstream_seconds"]) > 0


def test_a_body_over_the_limit_is_refused_before_it_is_sent_on(edge: Edge) -> None:
    large = http.client.HTTPSConnection(edge.https.partition("//")[2], context=edge.trust)
    large.putrequest("POST", "/login/")
    large.putheader("Content-Length", str(LIMIT_BYTES + 1))
    large.endheaders()
    assert large.getresponse().status == 413
    large.close()
    refused = ("413", "")
    until(lambda: refused in {(line["status"], line["upstream"]) for line in edge.told()})


def test_bodies_that_poolsite_refuses_are_told_so_and_take_no_process_out_of_service(
    edge: Edge,
) -> None:
    with edge.client() as client:
        for _ in range(8):
            refused = client.post("/login/", content=bytes(20 * 1024 * 1024))
            assert refused.status_code == 413
            assert client.get("/login/").status_code == 200


def test_an_expired_certificate_is_refused_until_it_is_renewed_and_nginx_reloaded(
    edge: Edge,
) -> None:
    folder = edge.nginx.folder
    good = {name: (folder / name).read_bytes() for name in ("certificate.pem", "key.pem")}

    def refusal() -> str:
        trust = ssl.create_default_context(cafile=folder / "certificate.pem")
        try:
            httpx.get(f"{edge.https}/healthz", verify=trust, timeout=30)
        except httpx.ConnectError as error:
            return str(error)
        return ""

    certified(folder, "127.0.0.1", days=-0.5)
    edge.nginx.reload()
    until(lambda: "expired" in refusal(), evidence=edge.nginx.said)
    for name, content in good.items():
        (folder / name).write_bytes(content)
    edge.nginx.reload()
    until(lambda: refusal() == "", evidence=edge.nginx.said)


def report(client: httpx.Client, event: str, **more: str) -> None:
    """Report an event of the pool as a switch does."""
    answer = client.post(f"/api/v1/pools/{POOL}/events", json={"event": event, **more})
    assert answer.json()["outcome"] == "ok", answer.text


def test_what_nginx_may_send_twice_is_done_once_with_a_key() -> None:
    """nginx repeats requests with GET, HEAD, OPTIONS, PUT and DELETE, never POST or PATCH."""
    takes = {
        (verb, path): {parameter["name"] for parameter in operation.get("parameters", ())}
        for path, verbs in Client().get("/api/v1/openapi.json").json()["paths"].items()
        for verb, operation in verbs.items()
    }
    assert {verb for verb, _path in takes} == {"get", "post", "patch", "put", "delete"}
    repeated = {name: names for name, names in takes.items() if name[0] in ("put", "delete")}
    assert [name for name, names in repeated.items() if "Idempotency-Key" not in names] == []


@pytest.mark.asyncio(loop_scope="session")
async def test_a_person_logs_in_sees_a_pool_live_and_loses_one_web_process(edge: Edge) -> None:
    told = edge.console.stage("tests.browser.stage")
    token = {"Authorization": f"Bearer {told['token']}"}
    sockets: list[str] = []
    async with window(edge.console.browser, edge.https, {}, ignore_https_errors=True) as shown:
        shown.page.on("websocket", lambda socket: sockets.append(socket.url))
        await shown.log_in("lin.mei")
        await shown.go_live(f"/pools/{POOL}/")
        assert await shown.page.evaluate(PROTOCOL) == "h2"
        assert sockets
        assert all(url.startswith(edge.https.replace("https", "wss")) for url in sockets)
        with edge.client(headers=token) as client:
            for number in told["numbers"][:3]:
                report(client, "reg", number=number)
            report(client, "call", call_id="at the start")
            await shown.until(BUSY, "1")
            ends = (signal.SIGKILL, signal.SIGTERM)  # a crash, and an upgrade
            for killed, (web, how) in enumerate(zip(edge.webs, ends, strict=True), start=1):
                web.process.send_signal(how)
                web.process.wait()
                assert {client.get("/login/").status_code for _ in range(12)} == {200}, (
                    edge.nginx.said()
                )
                report(client, "call", call_id=f"without {killed}")
                await shown.until(BUSY, str(killed + 1))
                web.start()
        await shown.go_live("/pools/")
    assert len(sockets) >= 3  # one of the two kills ended the first socket
    until(lambda: any(line["status"] == "101" for line in edge.told()))
