"""The report of an unpaid session message is closed when the message is paid."""

from django.db import migrations, models

from poolsite.sql_migrations import AddIndexWithoutLock


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("billing", "0009_promotions")]

    operations = [
        migrations.AlterField(
            model_name="flaggedreport",
            name="closing",
            field=models.CharField(
                blank=True,
                choices=[
                    ("accepted", "loss accepted"),
                    ("charged", "charged manually"),
                    ("paid", "paid later"),
                ],
                max_length=8,
                verbose_name="closing",
            ),
        ),
        AddIndexWithoutLock(
            "flaggedreport",
            models.Index(
                condition=models.Q(("closed_at", None)),
                fields=["wallet", "message_id"],
                name="billing_flagged_open",
            ),
        ),
    ]
