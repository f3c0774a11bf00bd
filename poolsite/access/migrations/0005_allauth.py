"""The secrets of authenticator apps go to allauth; what guards codes stays.

Recovery codes were kept as hashes, which allauth cannot take over: people make new ones.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

ROWS = 1_000


def hand_over(apps, schema_editor):
    """Confirmed apps become authenticators; their secrets are sealed in the same way."""
    database = schema_editor.connection.alias
    authenticator = apps.get_model("mfa", "Authenticator")
    apps_kept = apps.get_model("access", "Totp").objects.using(database)
    apps_kept.filter(confirmed_at=None).delete()
    authenticator.objects.using(database).bulk_create(
        (
            authenticator(
                user_id=each.user_id,
                type="totp",
                data={"secret": each.secret_sealed},
                created_at=each.confirmed_at,
            )
            for each in apps_kept.iterator(chunk_size=ROWS)
        ),
        batch_size=ROWS,
    )


class Migration(migrations.Migration):

    dependencies = [
        ("access", "0004_four_eyes"),
        ("mfa", "0003_authenticator_type_uniq"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(hand_over, migrations.RunPython.noop, elidable=True),
        migrations.DeleteModel("RecoveryCode"),
        migrations.RenameModel("Totp", "CodeGuard"),
        migrations.RemoveField("codeguard", "secret_sealed"),
        migrations.RemoveField("codeguard", "created_at"),
        migrations.RemoveField("codeguard", "confirmed_at"),
        migrations.AlterField(
            "codeguard",
            "user",
            models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="code_guard",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AlterModelOptions(
            "codeguard",
            {"verbose_name": "guard of codes", "verbose_name_plural": "guards of codes"},
        ),
    ]
