"""Webhooks reach their receivers: signed, retried, with fair shares, and logged."""

import json
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils import timezone

from poolsite import sql_bulk
from poolsite.access.models import Account, AuditEntry
from poolsite.access.services import account_create
from poolsite.operations import incidents, outgoing
from poolsite.operations.models import (
    Incident,
    OutgoingCall,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookEvent,
)
from poolsite.operations.retrying import WAITS_SECONDS
from poolsite.operations.tasks import delete_old
from poolsite.operations.webhooks import emitting, event_types, sending, services
from poolsite.operations.webhooks.emitting import Happened
from tests.operations.receiving import Receiver, receiving
from tests.support.ports import free_port

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]
State = WebhookDelivery.State
DATA = {"message": "m1"}


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.OUTGOING_PRIVATE_ADDRESSES = True
    with receiving() as server:
        yield server


def endpoint(
    url: str, *events: str, account: Account | None = None, name: str = "hook"
) -> WebhookEndpoint:
    return services.endpoint_create(
        actor="test", account=account, name=name, url=url, events=events or ["*"]
    )


def emit(kind: str = "message.delivered", account: Account | None = None, **more: Any) -> int:
    with transaction.atomic():
        return emitting.emit(kind, account_id=account.pk if account else None, data=DATA, **more)


def make_due(**rows: Any) -> None:
    WebhookDelivery.objects.filter(**rows).update(next_at=timezone.now() - timedelta(seconds=1))


def test_an_event_is_posted_once_signed_over_its_raw_body_and_logged(
    receiver: Receiver, settings: Any
) -> None:
    settings.SITE_HOST = "ops.example.org"
    account = account_create(slug="acme", name="Acme", actor="test")
    made = endpoint(receiver.url)
    assert emit(account=account, page=lambda: "/accounts/acme/") == 1
    assert sending.send_due() == {"sent": 1, "rejected": 0}
    path, headers, raw = receiver.received[0]
    assert path == "/hook?from=poolsite"
    assert headers["Host"] == f"127.0.0.1:{receiver.server_port}"
    at = int(headers["Poolsite-Signature"].split(",")[0].removeprefix("t="))
    assert abs(at - time.time()) < 300
    assert headers["Poolsite-Signature"] == outgoing.sign([made.secret], raw, at)
    row = WebhookEvent.objects.get()
    assert json.loads(raw) == {
        "id": f"evt_{row.id.hex}",
        "type": "message.delivered",
        "created_at": row.created_at.isoformat(),
        "account": "acme",
        "url": "http://ops.example.org/accounts/acme/",
        "data": DATA,
    }
    assert headers["Poolsite-Event-Id"] == f"evt_{row.id.hex}"
    call = OutgoingCall.objects.get()
    assert (call.status, call.error, call.purpose) == (200, "", "webhook.message.delivered")
    assert call.answer.startswith("thank you")
    assert sending.send_due() == {"sent": 0, "rejected": 0}


def test_an_endpoint_gets_the_events_that_it_chose_of_its_own_account(receiver: Receiver) -> None:
    own = account_create(slug="own", name="Own", actor="test")
    other = account_create(slug="other", name="Other", actor="test")
    endpoint(receiver.url, "message.failed", "balance.low", account=own)
    assert emit("message.failed", own) == 1
    assert emit("message.delivered", own) == 0
    assert emit("message.failed", other) == 0
    assert emit("message.failed") == 0  # the platform's own
    platform = endpoint(receiver.url, "*")
    assert emit("message.failed", other) == 1
    assert emit("message.failed", own) == 2
    services.endpoint_disable(endpoint=platform, actor="test")
    assert emit("message.failed", other) == 0
    assert WebhookEvent.objects.count() == 3  # events without a listener are not stored


def test_what_has_a_key_is_one_event_however_often_it_is_emitted(receiver: Receiver) -> None:
    endpoint(receiver.url)
    emit(key="m1")
    emit(key="m1")
    emit(key="m2")
    emit("message.failed", key="m1")
    assert WebhookDelivery.objects.count() == WebhookEvent.objects.count() == 3


def test_an_event_that_is_rolled_back_never_was(receiver: Receiver) -> None:
    endpoint(receiver.url)
    with transaction.atomic():
        emitting.emit("message.failed", account_id=None, data=DATA)
        transaction.set_rollback(True)
    assert not WebhookEvent.objects.exists()


def test_a_type_that_nobody_declared_is_a_mistake() -> None:
    with pytest.raises(LookupError):
        emitting.emit("message.eaten", account_id=None, data={})


def test_a_receiver_that_fails_is_tried_for_most_of_a_day_with_one_event_id(
    receiver: Receiver,
) -> None:
    endpoint(receiver.url)
    emit()
    receiver.status = 503
    assert sending.send_due() == {"sent": 0, "rejected": 1}
    assert sending.send_due() == {"sent": 0, "rejected": 0}  # not due again yet
    for _ in range(len(WAITS_SECONDS) + 2):
        make_due(state=State.PENDING)
        sending.send_due()
    row = WebhookDelivery.objects.get()
    assert (row.state, row.attempts) == (State.FAILED, len(WAITS_SECONDS) + 1)
    assert (row.status, row.error) == (503, "answered 503")
    assert len({body["id"] for body in receiver.bodies}) == 1
    receiver.status = 200
    services.delivery_resend(delivery=row, actor="test")
    assert sending.send_due() == {"sent": 1, "rejected": 0}
    assert len({body["id"] for body in receiver.bodies}) == 1
    row.refresh_from_db()
    assert (row.state, row.attempts, row.error) == (State.DELIVERED, 1, "")


def test_a_redirect_is_not_followed(receiver: Receiver) -> None:
    receiver.status, receiver.location = 302, receiver.url
    endpoint(receiver.url)
    emit()
    assert sending.send_due()["rejected"] == 1
    assert len(receiver.received) == 1


def test_an_endpoint_that_does_not_answer_holds_up_no_other(receiver: Receiver) -> None:
    endpoint(f"http://127.0.0.1:{free_port()}/", name="away")
    fine = endpoint(receiver.url, name="fine")
    with transaction.atomic():
        emitting.emit_many(
            [Happened("message.failed", None, {"message": f"m{n}"}) for n in range(50)]
        )
    assert sending.send_due()["sent"] == 50
    assert {body["data"]["message"] for body in receiver.bodies} == {f"m{n}" for n in range(50)}
    away = WebhookDelivery.objects.exclude(endpoint=fine)
    assert sorted(set(away.values_list("attempts", flat=True))) == [0, 1]
    tried = away.filter(attempts=1).count()
    assert tried < 50 / 2  # the first without an answer ended each round
    assert not away.filter(next_at__lte=timezone.now()).exists()


def test_an_endpoint_that_is_deleted_while_it_is_called_holds_up_no_other(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, fine = endpoint(receiver.url, name="gone"), endpoint(receiver.url, name="fine")
    emit()
    real = outgoing.post

    async def post(*given: Any, **options: Any) -> outgoing.DeliveryOutcome:
        outcome = await real(*given, **options)
        await sync_to_async(WebhookEndpoint.objects.filter(pk=gone.pk).delete)()
        return outcome

    monkeypatch.setattr(outgoing, "post", post)
    sending.send_due()
    assert WebhookDelivery.objects.get().endpoint == fine
    assert WebhookDelivery.objects.get().state == State.DELIVERED
    assert OutgoingCall.objects.count() == 1


def test_accounts_without_a_listener_are_told_from_the_others(receiver: Receiver) -> None:
    one = account_create(slug="one", name="One", actor="test")
    two = account_create(slug="two", name="Two", actor="test")
    both = {one.pk, two.pk}
    endpoint(receiver.url, "message.failed", account=one)
    assert emitting.listening({"message.failed"}, both) == {one.pk}
    assert emitting.listening({"message.delivered"}, both) == set()
    assert emitting.listening({"message.failed"}, {two.pk}) == set()
    endpoint(receiver.url, "*")
    assert emitting.listening({"message.delivered"}, both) == both


def test_two_senders_at_once_send_each_event_once(receiver: Receiver) -> None:
    endpoint(receiver.url)
    with transaction.atomic():
        emitting.emit_many(
            [Happened("message.failed", None, {"message": f"m{n}"}) for n in range(60)]
        )

    def send() -> None:
        try:
            sending.send_due()
        finally:
            connection.close()

    senders = [threading.Thread(target=send) for _ in range(2)]
    for each in senders:
        each.start()
    for each in senders:
        each.join()
    assert sorted(body["data"]["message"] for body in receiver.bodies) == sorted(
        f"m{n}" for n in range(60)
    )


def test_after_a_day_of_failures_it_is_paused_and_resumes_with_what_waited(
    receiver: Receiver,
) -> None:
    account = account_create(slug="acme", name="Acme", actor="test")
    made = endpoint(receiver.url, "message.failed", account=account)
    receiver.status = 500
    emit("message.failed", account)
    sending.send_due()
    made.refresh_from_db()
    assert made.failing_since is not None
    WebhookEndpoint.objects.update(failing_since=timezone.now() - timedelta(hours=23, minutes=59))
    make_due()
    sending.send_due()
    made.refresh_from_db()
    assert made.state == WebhookEndpoint.State.ACTIVE
    WebhookEndpoint.objects.update(failing_since=timezone.now() - timedelta(hours=24))
    make_due()
    sending.send_due()
    made.refresh_from_db()
    assert made.state == WebhookEndpoint.State.PAUSED
    incident = Incident.objects.get(until=None)
    assert (incident.type, incident.object) == ("operations.webhook_paused", made.slug)
    assert incident.account_id == account.pk
    assert AuditEntry.objects.filter(action="operations.webhook_pause").count() == 1
    before = len(receiver.received)
    assert emit("message.failed", account) == 1  # it waits
    make_due()
    assert sending.send_due() == {"sent": 0, "rejected": 0}
    assert len(receiver.received) == before
    receiver.status = 200
    services.endpoint_enable(endpoint=made, actor="test")
    assert sending.send_due() == {"sent": 2, "rejected": 0}
    made.refresh_from_db()
    assert made.failing_since is None
    assert not Incident.objects.filter(until=None).exists()


def test_one_success_ends_the_failing(receiver: Receiver) -> None:
    made = endpoint(receiver.url)
    emit()
    receiver.status = 500
    sending.send_due()
    receiver.status = 200
    make_due()
    sending.send_due()
    made.refresh_from_db()
    assert made.failing_since is None


def test_after_a_rotation_both_secrets_sign_for_a_day(receiver: Receiver) -> None:
    made = endpoint(receiver.url)
    old = made.secret
    made = services.endpoint_rotate(endpoint=made, actor="test")
    assert made.secret != old
    emit()
    sending.send_due()
    WebhookEndpoint.objects.update(old_secret_until=timezone.now())
    emit()
    sending.send_due()
    (_, first, raw), (_, second, later) = receiver.received
    at = int(first["Poolsite-Signature"].split(",")[0].removeprefix("t="))
    assert first["Poolsite-Signature"] == outgoing.sign([made.secret, old], raw, at)
    at = int(second["Poolsite-Signature"].split(",")[0].removeprefix("t="))
    assert second["Poolsite-Signature"] == outgoing.sign([made.secret], later, at)
    assert old not in str(list(AuditEntry.objects.values()))
    assert made.secret not in str(list(AuditEntry.objects.values()))


def test_a_test_event_is_sent_whatever_was_chosen(receiver: Receiver) -> None:
    made = endpoint(receiver.url, "message.failed")
    services.endpoint_test(endpoint=made, actor="test")
    sending.send_due()
    assert [body["type"] for body in receiver.bodies] == [event_types.TEST]
    assert receiver.bodies[0]["data"] == {"endpoint": made.slug}


def test_failed_deliveries_are_sent_again_together(receiver: Receiver) -> None:
    made = endpoint(receiver.url)
    for key in ("m1", "m2", "m3"):
        emit(key=key)
    WebhookDelivery.objects.filter(pk__gt=WebhookDelivery.objects.earliest("pk").pk).update(
        state=State.FAILED, attempts=10
    )
    assert services.failed_resend(endpoint=made, actor="test") == 2
    assert services.failed_resend(endpoint=made, actor="test") == 0
    assert sending.send_due()["sent"] == 3


def test_incidents_go_to_those_who_may_see_them_with_a_whole_link(
    receiver: Receiver, settings: Any
) -> None:
    settings.BEHIND_TLS, settings.SITE_HOST = True, "ops.example.org"
    own = account_create(slug="own", name="Own", actor="test")
    other = account_create(slug="other", name="Other", actor="test")
    endpoint(receiver.url, "incident.opened", "incident.escalated", "incident.closed", account=own)
    for account in (own, other, None):
        name = account.slug if account else "platform"
        for severity in ("warning", "critical"):
            incidents.open(type="t", object=name, severity=severity, title="x", account=account)
        incidents.close(type="t", object=name)
    sending.send_due()
    by_type = {body["type"]: body for body in receiver.bodies}
    assert list(by_type) != []
    assert len(receiver.received) == len(by_type) == 3
    assert by_type["incident.escalated"]["data"]["severity"] == "critical"
    incident = Incident.objects.get(object="own")
    for body in by_type.values():
        assert body["url"] == f"https://ops.example.org/incidents/{incident.pk}/"
        assert body["account"] == "own"
    assert by_type["incident.closed"]["data"]["until"] is not None


def test_old_events_are_deleted_with_their_deliveries(receiver: Receiver) -> None:
    endpoint(receiver.url)
    emit(key="old")
    emit(key="new")
    sending.send_due()
    old = WebhookEvent.objects.order_by("created_at")[:1]
    WebhookEvent.objects.filter(pk__in=list(old.values_list("pk", flat=True))).update(
        created_at=timezone.now() - timedelta(days=31)
    )
    assert delete_old(0, 1)["events"] == 1
    assert WebhookEvent.objects.count() == WebhookDelivery.objects.count() == 1
    assert OutgoingCall.objects.count() == 1


def test_more_old_rows_than_a_batch_are_deleted_by_one_sweep(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sql_bulk, "DELETE_ROWS", 2)
    endpoint("https://example.org/")
    for key in range(5):
        emit(key=str(key))
    long_ago = timezone.now() - timedelta(days=500)
    WebhookEvent.objects.update(created_at=long_ago)
    OutgoingCall.objects.bulk_create(OutgoingCall(purpose="-", address="-") for _ in range(5))
    OutgoingCall.objects.update(at=long_ago)
    done = delete_old(0, 1)
    assert (done["events"], done["calls"]) == (5, 5)
    assert not WebhookEvent.objects.exists()
    assert not OutgoingCall.objects.exists()


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": "https://user:word@example.org/"}, "url"),
        ({"url": "https://example.org:6379/"}, "url"),
        ({"events": ["message.eaten"]}, "events"),
        ({"events": []}, "events"),
        ({"name": ""}, "name"),
    ],
)
def test_an_endpoint_that_could_never_work_is_refused(changes: dict[str, Any], field: str) -> None:
    given = {"name": "hook", "url": "https://example.org/", "events": ["*"], **changes}
    with pytest.raises(ValidationError) as found:
        services.endpoint_create(actor="test", account=None, **given)
    assert field in found.value.message_dict
    assert not WebhookEndpoint.objects.exists()
