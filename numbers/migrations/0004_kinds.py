"""Kinds of switch, and what becomes of a number that a script adds.

Switches and pools that are there keep the behaviour that they had: the first default is theirs,
the second that of rows to come.
"""

import django.db.models.deletion
from django.db import migrations, models

import numbers.fields

KINDS = [("media", "Media server"), ("proxy", "SIP proxy")]
RULES = [("lend", "Lent at once"), ("confirm", "Lent after confirmation"), ("refuse", "Refused")]


def kind(default: str) -> "models.CharField[str, str]":
    return models.CharField(
        choices=KINDS,
        db_default=default,
        default=default,
        help_text=(
            "Media server (FreeSWITCH, Asterisk): a restart ends its calls, and their numbers are "
            "free again. SIP proxy (Kamailio, OpenSIPS): its calls go on after a restart, so "
            "their numbers stay in use."
        ),
        max_length=5,
        verbose_name="kind",
    )


def added_by_script(default: str) -> "models.CharField[str, str]":
    return models.CharField(
        choices=RULES,
        db_default="lend",
        default=default,
        help_text=(
            "A number that a program adds with the event add, straight in Redis or by the API. "
            "Lent at once: it is in use before this platform knows whether another pool has it. "
            "After confirmation: about a second later, when no other pool has it. Refused: "
            "numbers come from this console, from imports and from the command line only."
        ),
        max_length=7,
        verbose_name="numbers added by a script",
    )


class Migration(migrations.Migration):
    dependencies = [
        ("numbers", "0003_imports"),
    ]

    operations = [
        migrations.AddField("switch", "kind", kind("media")),
        migrations.AlterField("switch", "kind", kind("proxy")),
        migrations.AddField(
            "switch",
            "kind_chosen",
            models.BooleanField(
                db_default=False, default=False, editable=False, verbose_name="kind chosen"
            ),
        ),
        migrations.AddField("pool", "added_by_script", added_by_script("lend")),
        migrations.AlterField("pool", "added_by_script", added_by_script("confirm")),
        migrations.CreateModel(
            name="UnconfirmedNumber",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("value", numbers.fields.AsciiField(max_length=33, verbose_name="number")),
                ("added_us", models.BigIntegerField(verbose_name="added at, µs")),
                (
                    "pool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="unconfirmed",
                        to="numbers.pool",
                    ),
                ),
            ],
            options={
                "verbose_name": "unconfirmed number",
                "verbose_name_plural": "unconfirmed numbers",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pool", "value"), name="numbers_unconfirmed_once"
                    )
                ],
            },
        ),
    ]
