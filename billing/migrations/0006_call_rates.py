import django.db.models.deletion
from django.db import migrations, models

import billing.money


class Migration(migrations.Migration):

    dependencies = [
        ('billing', '0005_admin_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='tariff',
            name='rates_count',
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name='call rates'),
        ),
        migrations.AddField(
            model_name='tariff',
            name='rates_digest',
            field=models.CharField(blank=True, db_default='', default='', max_length=32, verbose_name='digest of the call rates'),
        ),
        migrations.AddField(
            model_name='message',
            name='charged_seconds',
            field=models.PositiveIntegerField(db_default=0, default=0, verbose_name='charged seconds'),
        ),
        migrations.CreateModel(
            name='CallRate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(blank=True, max_length=33, verbose_name='prefix')),
                ('destination', models.CharField(max_length=80, verbose_name='destination')),
                ('days', models.PositiveSmallIntegerField(verbose_name='days')),
                ('from_minute', models.PositiveSmallIntegerField(verbose_name='from (minute of the day)')),
                ('until_minute', models.PositiveSmallIntegerField(verbose_name='until (minute of the day)')),
                ('price', billing.money.MoneyField(verbose_name='price per minute')),
                ('first', models.PositiveIntegerField(verbose_name='first increment (seconds)')),
                ('increment', models.PositiveIntegerField(verbose_name='further increments (seconds)')),
                ('fee', billing.money.MoneyField(verbose_name='connection fee')),
                ('tariff', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='call_rates', to='billing.tariff')),
            ],
            options={
                'verbose_name': 'call rate',
                'verbose_name_plural': 'call rates',
                'ordering': ['tariff', 'prefix', 'days', 'from_minute', 'pk'],
                'constraints': [models.UniqueConstraint(fields=('tariff', 'prefix', 'days', 'from_minute', 'until_minute'), name='billing_call_rate_once')],
            },
        ),
        migrations.CreateModel(
            name='CallUsage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('quarter', models.DateTimeField(verbose_name='quarter of an hour')),
                ('tariff', models.PositiveBigIntegerField(verbose_name='tariff')),
                ('rate', models.PositiveBigIntegerField(verbose_name='call rate')),
                ('calls', models.PositiveBigIntegerField(verbose_name='calls')),
                ('intervals', models.PositiveBigIntegerField(verbose_name='intervals')),
                ('seconds', models.PositiveBigIntegerField(verbose_name='charged seconds')),
                ('revenue', billing.money.MoneyField(verbose_name='revenue')),
                ('wallet', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='call_usage', to='billing.wallet')),
            ],
            options={
                'verbose_name': 'call usage',
                'verbose_name_plural': 'call usage',
                'constraints': [models.UniqueConstraint(fields=('wallet', 'quarter', 'tariff', 'rate'), name='billing_call_usage_once')],
            },
        ),
    ]
