"""Alert recipients that were webhooks become webhook endpoints with the incidents' events."""

from typing import Any
from urllib.parse import urlsplit

from django.db import migrations

EVENTS = ["incident.closed", "incident.escalated", "incident.opened"]


def forwards(apps: Any, schema_editor: Any) -> None:
    recipients = apps.get_model("operations", "NoticeTarget").objects
    endpoints = apps.get_model("operations", "WebhookEndpoint").objects
    calls = apps.get_model("operations", "OutgoingCall").objects
    for each in recipients.filter(channel="webhook").order_by("pk"):
        endpoints.create(
            account=each.account,
            name=(urlsplit(each.address).hostname or "Webhook")[:80],
            url=each.address,
            events=EVENTS,
            secret=each.secret,
            state="active" if each.active else "disabled",
        )
        calls.filter(notice__target=each).update(notice=None)
        each.delete()


def backwards(apps: Any, schema_editor: Any) -> None:
    recipients = apps.get_model("operations", "NoticeTarget").objects
    for each in apps.get_model("operations", "WebhookEndpoint").objects.order_by("pk"):
        if set(EVENTS) <= set(each.events):
            recipients.create(
                account=each.account,
                channel="webhook",
                address=each.url,
                secret=each.secret[:64],
                active=each.state != "disabled",
            )


class Migration(migrations.Migration):
    dependencies = [("operations", "0007_webhooks")]

    operations = [migrations.RunPython(forwards, backwards)]
