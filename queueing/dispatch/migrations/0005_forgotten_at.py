"""Names of instances that were removed."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("dispatch", "0004_months")]

    operations = [
        migrations.AddField(
            model_name="instance",
            name="forgotten_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="removed at"),
        ),
    ]
