"""Notices by e-mail and webhook: signed, logged, retried, and never into our own network."""

import ipaddress
import json
import socket
import threading
import time
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.utils import timezone

from poolsite.operations import incidents, notices, outgoing
from poolsite.operations.models import Notice, NoticeTarget, OutgoingCall


class Receiver(ThreadingHTTPServer):
    """A webhook's receiver on a loopback port; `status` is what it answers."""

    def __init__(self):
        self.status = 200
        self.location = ""
        self.received = []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/hook?from=poolsite"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, dict(self.headers), raw))
        self.send_response(self.server.status)
        if self.server.location:
            self.send_header("Location", self.server.location)
        body = b"thank you" * 1_000
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        return


@pytest.fixture
def receiver(settings):
    settings.OUTGOING_PRIVATE_ADDRESSES = True
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def open_one():
    return incidents.open(
        type="numbers.blocking",
        object="east",
        severity="critical",
        title="Blocking is high",
        remedy="Add numbers.",
        url="/pools/east/",
    )


def make_due():
    Notice.objects.update(next_at=timezone.now() - timedelta(seconds=1))


def test_a_webhook_is_posted_signed_over_its_raw_body_and_logged(db, receiver):
    target = NoticeTarget.objects.create(channel="webhook", address=receiver.url)
    incident = open_one()
    assert notices.send_due() == {"sent": 1, "failed": 0}
    path, headers, raw = receiver.received[0]
    assert path == "/hook?from=poolsite"
    assert headers["Host"] == f"127.0.0.1:{receiver.server_port}"
    signature = headers["Poolsite-Signature"]
    now = int(time.time())
    assert outgoing.verify(target.secret, raw, signature, now=now)
    assert not outgoing.verify(target.secret, raw + b" ", signature, now=now)
    assert not outgoing.verify("another", raw, signature, now=now)
    assert not outgoing.verify(target.secret, raw, signature, now=now + 301)
    body = json.loads(raw)
    assert body["event"] == "incident.opened"
    assert body["incident"] == incident.pk
    assert body["id"] == headers["Poolsite-Event-Id"] == str(Notice.objects.get().event_id)
    call = OutgoingCall.objects.get()
    assert (call.status, call.error, call.purpose) == (200, "", "notice.opened")
    assert call.answer.startswith("thank you")
    assert len(call.answer) <= 500
    assert notices.send_due() == {"sent": 0, "failed": 0}


def test_a_receiver_that_fails_is_tried_again_with_the_same_event_id_until_it_takes_it(
    db, receiver
):
    NoticeTarget.objects.create(channel="webhook", address=receiver.url)
    open_one()
    receiver.status = 503
    assert notices.send_due() == {"sent": 0, "failed": 1}
    assert notices.send_due() == {"sent": 0, "failed": 0}  # not yet due again
    make_due()
    receiver.status = 200
    assert notices.send_due() == {"sent": 1, "failed": 0}
    ids = {json.loads(raw)["id"] for _, _, raw in receiver.received}
    assert len(ids) == 1
    assert list(OutgoingCall.objects.order_by("pk").values_list("status", "error")) == [
        (503, "answered 503"),
        (200, ""),
    ]


def test_a_receiver_that_never_answers_well_is_given_up_after_the_last_wait(db, receiver):
    NoticeTarget.objects.create(channel="webhook", address=receiver.url)
    open_one()
    receiver.status = 500
    for _ in range(len(notices.WAITS_SECONDS) + 3):
        make_due()
        notices.send_due()
    notice = Notice.objects.get()
    assert notice.state == Notice.State.FAILED
    assert notice.attempts == len(notices.WAITS_SECONDS) + 1


def test_a_redirect_is_not_followed(db, receiver):
    receiver.status, receiver.location = 302, receiver.url
    NoticeTarget.objects.create(channel="webhook", address=receiver.url)
    open_one()
    assert notices.send_due()["failed"] == 1
    assert len(receiver.received) == 1


def test_a_notice_in_another_senders_hand_is_left_alone(db, receiver):
    NoticeTarget.objects.create(channel="webhook", address=receiver.url)
    open_one()
    notice = Notice.objects.get()
    assert notices._claim(notice)
    assert not notices._claim(notice)
    assert notices.send_due() == {"sent": 0, "failed": 0}
    assert receiver.received == []


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/x",
        "file:///etc/passwd",
        "http://",
        "not an address",
        "http://user:word@example.org/",
        "http://127.0.0.1/",
        "http://localhost:6379/",
        "http://10.0.0.8/",
        "http://169.254.169.254/latest/meta-data/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/",
        "http://0.0.0.0/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://224.0.0.1/",
    ],
)
def test_an_address_inside_a_private_network_or_of_another_kind_is_refused(db, url):
    NoticeTarget.objects.create(channel="webhook", address=url)
    open_one()
    assert notices.send_due() == {"sent": 0, "failed": 1}
    call = OutgoingCall.objects.get()
    assert call.status is None
    assert call.error


def test_one_private_address_among_public_ones_refuses_the_name(monkeypatch):
    answers = [(socket.AF_INET, 1, 6, "", (ip, 443)) for ip in ("93.184.216.34", "10.1.2.3")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers)
    with pytest.raises(outgoing.RefusedAddressError, match=r"10\.1\.2\.3"):
        outgoing.addresses(outgoing.check_url("https://rebinding.example/"))


def test_the_connection_goes_to_the_address_that_was_judged(receiver, monkeypatch):
    asked = []
    real = socket.getaddrinfo

    def resolve(host, *arguments, **options):
        asked.append(host)
        return real("127.0.0.1" if host == "hooks.example" else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    url = f"http://hooks.example:{receiver.server_port}/x"
    assert outgoing.post(url, {}, secret="s", event_id="e").ok
    assert asked.count("hooks.example") == 1
    assert receiver.received[0][1]["Host"] == f"hooks.example:{receiver.server_port}"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("100.64.0.1", False),
        ("192.168.1.1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:8.8.8.8", True),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::808:808", True),
        ("64:ff9b::a00:1", False),
    ],
)
def test_wrapped_addresses_are_judged_by_what_they_wrap(address, public):
    assert outgoing.is_public(ipaddress.ip_address(address)) is public


def test_an_email_says_what_is_wrong_and_what_to_do(db):
    NoticeTarget.objects.create(channel="email", address="ops@example.org")
    open_one()
    notices.send_due()
    message = mail.outbox[0]
    assert message.to == ["ops@example.org"]
    assert "Blocking is high" in message.subject
    assert "Add numbers." in message.body


def test_a_title_with_a_line_break_cannot_add_a_header(db):
    NoticeTarget.objects.create(channel="email", address="ops@example.org")
    incidents.open(
        type="t", object="o", severity="critical", title="x\nBcc: all@example.org", detail="d"
    )
    notices.send_due()
    assert mail.outbox[0].bcc == []
    assert "\n" not in mail.outbox[0].subject


def test_a_target_that_nothing_can_be_sent_to_is_refused():
    for channel, address in (
        ("email", "nobody"),
        ("webhook", "gopher://x"),
        ("webhook", "https://user:word@hooks.example/"),
        ("webhook", "https://hooks.example:6379/"),
        ("webhook", "https://hooks.example/\r\nX: y"),
    ):
        with pytest.raises(ValidationError):
            NoticeTarget(channel=channel, address=address).clean()
