"""Every number gets its canonical form; of numbers that are one line, one keeps it.

The others, its twins, are quarantined until an operator merges or removes them (/numbers/twins/).
Three sweeps over the table, in batches: a million numbers take about a minute.
"""

from collections import Counter, defaultdict
from datetime import timedelta
from itertools import groupby

import django.db.models.deletion
from django.db import migrations, models
from django.utils import timezone

import numbers.fields
import numbers.models.pools
from numbers.canonical import DIGITS, E164, NATIONAL, canonical

BATCH = 5_000
BY = "numbers.twins"  # as numbers.services.twins


def fill(apps, schema_editor):
    """Fill `canonical`, find twins, keep each pool's answers as they were."""
    rows_of = apps.get_model("numbers", "Number").objects
    connection = schema_editor.connection
    changed, used = _fill_canonical(rows_of, connection)
    changed |= _settle_twins(rows_of, connection)
    _keep_answers(apps.get_model("numbers", "Pool").objects, used)
    # Older than the sweep's patience: it brings Redis to this at once.
    before = timezone.now() - timedelta(minutes=1)
    UnsentChange = apps.get_model("numbers", "UnsentChange")
    UnsentChange.objects.bulk_create(
        [UnsentChange(pool_id=pool_id, created_at=before) for pool_id in sorted(changed)]
    )
    if connection.vendor == "postgresql":  # the constraint that follows wants no check left open
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def _fill_canonical(rows_of, connection):
    """Write every canonical form; returns pools that hold others, and the formats each uses."""
    changed, used, last = set(), defaultdict(Counter), 0
    while True:
        rows = list(
            rows_of.filter(pk__gt=last)
            .order_by("pk")
            .values_list("pk", "value", "pool_id")[:BATCH]
        )
        if not rows:
            return changed, used
        first, last = rows[0][0], rows[-1][0]
        others = []
        for pk, value, pool_id in rows:
            # No pool has a home country of its own yet.
            one = canonical(value, "")
            if one != value:
                others.append((one, pk))
                changed.add(pool_id)
            if one.startswith("+"):
                used[pool_id][_format_of(value, one)] += 1
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE numbers_number SET canonical = value WHERE id BETWEEN %s AND %s",
                (first, last),
            )
            if others:
                cursor.executemany("UPDATE numbers_number SET canonical = %s WHERE id = %s", others)


def _format_of(value, one):
    if value == one:
        return E164
    return DIGITS if value == one[1:] else NATIONAL


def _settle_twins(rows_of, connection):
    """One of each group keeps its canonical form; returns the pools of the others."""
    twice = (
        rows_of.values("canonical")
        .annotate(times=models.Count("pk"))
        .filter(times__gt=1)
        .order_by()
        .values("canonical")
    )
    rows = list(
        rows_of.filter(canonical__in=twice)
        .order_by("canonical", "created_at", "pk")
        .values_list("canonical", "pk", "value", "pool_id", "quarantined_at")
    )
    changed, twins, held = set(), [], []
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    for one, group in groupby(rows, key=lambda row: row[0]):
        group = list(group)
        # The one that is spelled canonically already, else the oldest.
        keeper = next((row for row in group if row[2] == one), group[0])
        for _one, pk, _value, pool_id, quarantined_at in group:
            if pk == keeper[1]:
                continue
            changed.add(pool_id)
            twins.append((keeper[1], pk))
            if quarantined_at is None:
                held.append((now, BY, f"twin of {one}", pk))
    with connection.cursor() as cursor:
        for start in range(0, len(twins), BATCH):
            cursor.executemany(
                "UPDATE numbers_number SET canonical = NULL, twin_of_id = %s WHERE id = %s",
                twins[start : start + BATCH],
            )
        for start in range(0, len(held), BATCH):
            cursor.executemany(
                "UPDATE numbers_number SET quarantined_at = %s, quarantined_by = %s,"
                " quarantined_reason = %s WHERE id = %s",
                held[start : start + BATCH],
            )
    return changed


def _keep_answers(pools, used):
    """Switches of a pool whose numbers were mostly stored without + go on to get them so."""
    for pool_id, formats in used.items():
        spelling = formats.most_common(1)[0][0]
        if spelling != E164:
            pools.filter(pk=pool_id).update(number_spelling=spelling)


class Migration(migrations.Migration):
    dependencies = [("numbers", "0005_health")]

    operations = [
        migrations.AddField(
            model_name="number",
            name="canonical",
            field=numbers.fields.NullableAsciiField(
                blank=True,
                editable=False,
                max_length=33,
                null=True,
                verbose_name="canonical form",
            ),
        ),
        migrations.AddField(
            model_name="number",
            name="twin_of",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="twins",
                to="numbers.number",
                verbose_name="duplicate of",
            ),
        ),
        migrations.AddField(
            model_name="pool",
            name="home_country",
            field=models.CharField(blank=True, db_default='', help_text="The country of numbers without a country code, such as CN. Leave empty to use the platform's setting.", max_length=2, validators=[numbers.models.pools.known_country], verbose_name='home country'),
        ),
        migrations.AddField(
            model_name="pool",
            name="number_spelling",
            field=models.CharField(choices=[('e164', 'international, with +'), ('national', 'national'), ('digits', 'international, digits only')], db_default='e164', default='e164', help_text='The format in which switches receive numbers over HTTP and WebSocket. They can send any format.', max_length=8, verbose_name='number format in responses'),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="number",
            index=models.Index(
                condition=models.Q(("twin_of__isnull", False)),
                fields=["twin_of"],
                name="numbers_twins",
            ),
        ),
        migrations.AddIndex(
            model_name="number",
            index=models.Index(
                condition=models.Q(("canonical__isnull", True)),
                fields=["value"],
                name="numbers_no_canonical",
            ),
        ),
        migrations.AddConstraint(
            model_name="number",
            constraint=models.UniqueConstraint(
                fields=("canonical",), name="numbers_canonical_once"
            ),
        ),
    ]
