"""Alert recipients that were webhooks become webhook endpoints."""

import pytest
from django.utils import timezone

from poolsite.operations.models import NoticeTarget, OutgoingCall, WebhookEndpoint
from poolsite.operations.webhooks import emitting
from tests.support.migrating import migrate_forward, models_at

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.processes]


def test_a_webhook_recipient_becomes_an_endpoint_for_incidents_with_its_secret() -> None:
    url = "https://hooks.example/in?key=1"
    with models_at("operations", "0006_idle_queue_text") as apps:
        targets = apps.get_model("operations", "NoticeTarget").objects
        email = targets.create(channel="email", address="ops@example.org", secret="a")
        hook = targets.create(channel="webhook", address=url, secret="b" * 64)
        targets.create(channel="webhook", address="https://off.example/", secret="c", active=False)
        incident = apps.get_model("operations", "Incident").objects.create(
            type="t", object="o", severity="warning", since=timezone.now()
        )
        notice = apps.get_model("operations", "Notice").objects.create(
            target=hook, incident=incident, event="opened", next_at=timezone.now()
        )
        apps.get_model("operations", "OutgoingCall").objects.create(
            notice=notice, purpose="notice.opened", address=url
        )
        migrate_forward("operations")
        assert list(NoticeTarget.objects.values_list("pk", flat=True)) == [email.pk]
        made, off = WebhookEndpoint.objects.order_by("pk")
        assert (made.url, made.secret, made.name, made.state) == (
            url,
            "b" * 64,
            "hooks.example",
            WebhookEndpoint.State.ACTIVE,
        )
        assert off.state == WebhookEndpoint.State.DISABLED
        assert OutgoingCall.objects.get().address == url  # what was sent stays in the log
        assert emitting.emit("incident.opened", account_id=None, data={}) == 1
        assert emitting.emit("message.failed", account_id=None, data={}) == 0
