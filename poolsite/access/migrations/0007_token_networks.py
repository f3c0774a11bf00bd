from django.db import migrations, models
from django.db.models import Value


class Migration(migrations.Migration):

    dependencies = [
        ("access", "0006_wording"),
    ]

    operations = [
        migrations.AddField(
            model_name="apitoken",
            name="networks",
            field=models.JSONField(
                blank=True,
                db_default=Value([], models.JSONField()),
                default=list,
                verbose_name="allowed networks",
            ),
        ),
    ]
