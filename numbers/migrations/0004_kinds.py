"""Kinds of switch, and what becomes of a number that a script adds.

Switches and pools that are there keep the behaviour that they had: the first default is theirs,
the second that of rows to come.
"""

import django.db.models.deletion
from django.db import migrations, models

import numbers.fields

KINDS = [("media", "Media server"), ("proxy", "SIP proxy")]
RULES = [
    ("lend", "Available immediately"),
    ("confirm", "Available after confirmation"),
    ("refuse", "Refused"),
]


def kind(default: str) -> "models.CharField[str, str]":
    return models.CharField(
        choices=KINDS,
        db_default=default,
        default=default,
        help_text=(
            "Media server (FreeSWITCH, Asterisk): a restart ends its calls and frees their "
            "numbers. SIP proxy (Kamailio, OpenSIPS): its calls continue after a restart, so "
            "their numbers stay in use."
        ),
        max_length=5,
        verbose_name="type",
    )


def added_by_script(default: str) -> "models.CharField[str, str]":
    return models.CharField(
        choices=RULES,
        db_default="lend",
        default=default,
        help_text=(
            "For numbers that a program adds with the add event, directly in Redis or through the "
            "API. Available immediately: a number can be used before the platform knows whether "
            "another pool has it. Available after confirmation: about a second later, if no other "
            "pool has it. Refused: numbers can only be added from this console, by imports and "
            "from the command line."
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
                db_default=False, default=False, editable=False, verbose_name="type chosen"
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
