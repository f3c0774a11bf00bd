"""Notices by email are retried, and outgoing calls never reach our own network."""

import asyncio
import ipaddress
import socket
from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone

from poolsite.operations import incidents, notices, outgoing
from poolsite.operations.models import Notice, NoticeTarget, OutgoingCall
from poolsite.operations.retrying import WAITS_SECONDS
from tests.operations.receiving import receiving


@pytest.fixture
def receiver(settings):
    settings.OUTGOING_PRIVATE_ADDRESSES = True
    with receiving() as server:
        yield server


def post(url):
    return asyncio.run(outgoing.post(url, {"id": "e"}, secrets=["s"]))


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


class AwayBackend(BaseEmailBackend):
    """A mail server that accepts nothing."""

    def send_messages(self, messages):
        raise OSError("connection refused")


def test_a_mail_server_that_is_away_is_tried_for_most_of_a_day_and_then_given_up(db, settings):
    settings.EMAIL_BACKEND = f"{__name__}.AwayBackend"
    NoticeTarget.objects.create(address="ops@example.org")
    open_one()
    assert notices.send_due() == {"sent": 0, "failed": 1}
    assert notices.send_due() == {"sent": 0, "failed": 0}  # not due again yet
    for _ in range(len(WAITS_SECONDS) + 3):
        make_due()
        notices.send_due()
    notice = Notice.objects.get()
    assert notice.state == Notice.State.FAILED
    assert notice.attempts == len(WAITS_SECONDS) + 1 == OutgoingCall.objects.count()
    assert 20 * 3600 < sum(WAITS_SECONDS) <= 24 * 3600


def test_a_notice_in_another_senders_hand_is_left_alone(db):
    NoticeTarget.objects.create(address="ops@example.org")
    open_one()
    notice = Notice.objects.get()
    assert notices._claim(notice)
    assert not notices._claim(notice)
    assert notices.send_due() == {"sent": 0, "failed": 0}
    assert mail.outbox == []


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
def test_an_address_inside_a_private_network_or_of_another_kind_is_refused(url):
    outcome = post(url)
    assert not outcome.ok
    assert outcome.status is None
    assert outcome.error


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
    assert post(url).ok
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
    NoticeTarget.objects.create(address="ops@example.org")
    open_one()
    notices.send_due()
    message = mail.outbox[0]
    assert message.to == ["ops@example.org"]
    assert "Blocking is high" in message.subject
    assert "Add numbers." in message.body


def test_a_title_with_a_line_break_cannot_add_a_header(db):
    NoticeTarget.objects.create(address="ops@example.org")
    incidents.open(
        type="t", object="o", severity="critical", title="x\nBcc: all@example.org", detail="d"
    )
    notices.send_due()
    assert mail.outbox[0].bcc == []
    assert "\n" not in mail.outbox[0].subject


def test_an_email_links_to_the_incident_by_its_whole_address(db, settings):
    settings.BEHIND_TLS, settings.SITE_HOST = True, "ops.example.org"
    NoticeTarget.objects.create(address="ops@example.org")
    incident = open_one()
    notices.send_due()
    assert f"https://ops.example.org/incidents/{incident.pk}/" in mail.outbox[0].body


def test_a_recipient_that_is_no_email_address_is_refused():
    for address in ("nobody", "https://hooks.example/"):
        with pytest.raises(ValidationError):
            NoticeTarget(address=address).full_clean()


@pytest.mark.parametrize(
    "url",
    [
        "gopher://x",
        "https://user:word@hooks.example/",
        "https://hooks.example:6379/",
        "https://hooks.example/\r\nX: y",
    ],
)
def test_a_webhook_url_that_is_never_called_is_refused(url):
    with pytest.raises(outgoing.RefusedAddressError):
        outgoing.check_url(url)
