"""Ejection, backups, retries of a start, slow start."""

import django.core.validators
from django.db import migrations, models


def mark_groups(apps, schema_editor):
    """Have the watch bring the new settings to Redis: without them the scripts retry no start."""
    group, unsent = (apps.get_model("dispatch", name) for name in ("Group", "UnsentChange"))
    there = group.objects.filter(deleted_at=None).values_list("pk", flat=True)
    marks = [unsent(group_id=key) for key in there]
    unsent.objects.bulk_create(marks, batch_size=1_000)  # unaudited: no setting is changed


class Migration(migrations.Migration):

    dependencies = [
        ('dispatch', '0005_forgotten_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='group',
            name='answer_seconds',
            field=models.PositiveIntegerField(db_default=10, default=10, help_text="A session counts as failed if its instance hasn't sent anything for it in this time.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3600)], verbose_name='answer timeout (seconds)'),
        ),
        migrations.AddField(
            model_name='group',
            name='ejection_seconds',
            field=models.PositiveIntegerField(db_default=30, default=30, help_text="How long an ejection lasts, multiplied by the number of the instance's ejections, up to 10.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(86400)], verbose_name='base ejection time (seconds)'),
        ),
        migrations.AddField(
            model_name='group',
            name='failure_minimum_sessions',
            field=models.PositiveIntegerField(db_default=20, default=20, help_text="With fewer sessions in the failure window, an instance isn't ejected.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(10000)], verbose_name='minimum sessions'),
        ),
        migrations.AddField(
            model_name='group',
            name='failure_threshold_percent',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='An instance is ejected when at least this share of its sessions failed. 0: never.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='failure threshold (percent)'),
        ),
        migrations.AddField(
            model_name='group',
            name='failure_window_seconds',
            field=models.PositiveIntegerField(db_default=30, default=30, help_text='Sessions and failures are counted over this time.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(3600)], verbose_name='failure window (seconds)'),
        ),
        migrations.AddField(
            model_name='group',
            name='max_ejection_percent',
            field=models.PositiveIntegerField(db_default=50, default=50, help_text='The last instance that accepts sessions is never ejected.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='maximum ejected instances (percent)'),
        ),
        migrations.AddField(
            model_name='group',
            name='slow_start_seconds',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text="The share of a new or returned instance grows to its full weight over this time. It doesn't apply to load sharing by key. 0: off.", validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(3600)], verbose_name='slow start (seconds)'),
        ),
        migrations.AddField(
            model_name='group',
            name='start_retries',
            field=models.PositiveIntegerField(db_default=2, default=2, help_text='If an instance is lost, blocked or ejected before it accepts a session, the session is offered to another instance, up to this many times. 0: never.', validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(9)], verbose_name='retries of a start'),
        ),
        migrations.AddField(
            model_name='instance',
            name='backup',
            field=models.BooleanField(db_default=False, default=False, help_text='Gets new sessions only while no primary instance can take them.', verbose_name='backup'),
        ),
        migrations.RunPython(mark_groups, migrations.RunPython.noop),
    ]
