"""The attempts of a delivery are found by an index."""

from django.db import migrations, models

from poolsite.sql_migrations import AddIndexWithoutLock


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("operations", "0008_webhook_recipients")]

    operations = [
        AddIndexWithoutLock(
            "outgoingcall",
            models.Index(
                condition=models.Q(("delivery__isnull", False)),
                fields=["delivery"],
                name="operations_call_delivery",
            ),
        )
    ]
