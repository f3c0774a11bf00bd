"""Invoices, credit notes, the seller and tax rates. An issued document is refused to change."""

import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
from django.conf import settings
from django.db import migrations, models

import billing.money

REFUSAL = "an issued document never changes"
FIXED = ("billing_invoice", "billing_invoiceline", "billing_invoicetax")
CREDIT = "billing_creditnote"  # from its number on

CREATE = {
    "sqlite": [
        *(
            f"""CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table}
                BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
            for table in FIXED
            for verb in ("UPDATE", "DELETE")
        ),
        *(
            f"""CREATE TRIGGER {CREDIT}_no_{verb.lower()} BEFORE {verb} ON {CREDIT}
                WHEN OLD.number <> '' BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"""
            for verb in ("UPDATE", "DELETE")
        ),
    ],
    "postgresql": [
        f"""CREATE FUNCTION billing_invoice_refuse() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION '{REFUSAL}' USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        *(
            f"""CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
                FOR EACH ROW EXECUTE FUNCTION billing_invoice_refuse()"""
            for table in FIXED
        ),
        f"""CREATE TRIGGER {CREDIT}_no_change BEFORE UPDATE OR DELETE ON {CREDIT}
            FOR EACH ROW WHEN (OLD.number <> '') EXECUTE FUNCTION billing_invoice_refuse()""",
        *(
            f"""CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
                FOR EACH STATEMENT EXECUTE FUNCTION billing_invoice_refuse()"""
            for table in (*FIXED, CREDIT)
        ),
    ],
}
DROP = {
    "sqlite": [
        f"DROP TRIGGER IF EXISTS {table}_no_{verb}"
        for table in (*FIXED, CREDIT)
        for verb in ("update", "delete")
    ],
    "postgresql": [
        *(
            f"DROP TRIGGER IF EXISTS {table}_no_{what} ON {table}"
            for table in (*FIXED, CREDIT)
            for what in ("change", "truncate")
        ),
        "DROP FUNCTION IF EXISTS billing_invoice_refuse()",
    ],
}


def run(statements):
    def operation(apps, schema_editor):
        for statement in statements[schema_editor.connection.vendor]:
            schema_editor.execute(statement)

    return operation


class Migration(migrations.Migration):

    dependencies = [
        ('access', '0009_idempotent_requests'),
        ('billing', '0006_call_rates'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Invoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(verbose_name='month')),
                ('revision', models.PositiveSmallIntegerField(default=1, verbose_name='revision')),
                ('start_us', models.PositiveBigIntegerField(verbose_name='start (µs)')),
                ('end_us', models.PositiveBigIntegerField(verbose_name='end (µs)')),
                ('zone', models.CharField(max_length=64, verbose_name='time zone')),
                ('number', models.CharField(max_length=40, unique=True, verbose_name='number')),
                ('prefix', models.CharField(max_length=10, verbose_name='prefix')),
                ('year', models.PositiveSmallIntegerField(verbose_name='year')),
                ('serial', models.PositiveIntegerField(verbose_name='serial number')),
                ('issued_at', models.DateTimeField(verbose_name='issued at')),
                ('issued_on', models.DateField(verbose_name='issued on')),
                ('issued_by', models.CharField(max_length=150, verbose_name='issued by')),
                ('currency', models.CharField(max_length=3, verbose_name='currency')),
                ('seller', models.JSONField(verbose_name='seller')),
                ('customer', models.JSONField(verbose_name='customer')),
                ('treatment', models.CharField(choices=[('standard', 'standard'), ('exempt', 'exempt'), ('reverse_charge', 'reverse charge')], max_length=14, verbose_name='tax treatment')),
                ('net', billing.money.MoneyField(verbose_name='net')),
                ('tax', billing.money.MoneyField(default=0, verbose_name='tax')),
                ('total', billing.money.MoneyField(verbose_name='total')),
                ('paid', billing.money.MoneyField(verbose_name='paid from the balance')),
                ('digest', models.CharField(max_length=32, verbose_name='digest')),
                ('wallet', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invoices', to='billing.wallet')),
            ],
            options={
                'verbose_name': 'invoice',
                'verbose_name_plural': 'invoices',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='CreditNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('status', models.CharField(choices=[('waiting', 'waiting for approval'), ('issued', 'issued'), ('rejected', 'rejected')], default='waiting', max_length=8, verbose_name='status')),
                ('reason', models.CharField(max_length=200, verbose_name='reason')),
                ('asked_at', models.DateTimeField(auto_now_add=True, verbose_name='requested at')),
                ('decided_at', models.DateTimeField(blank=True, null=True, verbose_name='decided at')),
                ('decision_reason', models.CharField(blank=True, max_length=200, verbose_name='decision reason')),
                ('number', models.CharField(blank=True, max_length=40, verbose_name='number')),
                ('prefix', models.CharField(blank=True, max_length=10, verbose_name='prefix')),
                ('year', models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='year')),
                ('serial', models.PositiveIntegerField(blank=True, null=True, verbose_name='serial number')),
                ('issued_at', models.DateTimeField(blank=True, null=True, verbose_name='issued at')),
                ('issued_on', models.DateField(blank=True, null=True, verbose_name='issued on')),
                ('asked_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='credit_notes', to='billing.invoice')),
            ],
            options={
                'verbose_name': 'credit note',
                'verbose_name_plural': 'credit notes',
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='InvoiceCursor',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('month', models.DateField(blank=True, null=True, verbose_name='month')),
                ('tried_at', models.DateTimeField(blank=True, null=True, verbose_name='checked at')),
                ('wallet', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='invoice_cursor', to='billing.wallet')),
            ],
            options={
                'verbose_name': 'invoice cursor',
                'verbose_name_plural': 'invoice cursors',
            },
        ),
        migrations.CreateModel(
            name='InvoiceLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(verbose_name='position')),
                ('mode', models.CharField(blank=True, max_length=24, verbose_name='mode')),
                ('chatbot', models.CharField(blank=True, max_length=40, verbose_name='chatbot')),
                ('chatbot_name', models.CharField(blank=True, max_length=120, verbose_name='chatbot name')),
                ('quantity', models.PositiveBigIntegerField(verbose_name='quantity')),
                ('tax_name', models.CharField(blank=True, max_length=40, verbose_name='tax name')),
                ('rate', models.PositiveIntegerField(default=0, verbose_name='rate')),
                ('net', billing.money.MoneyField(verbose_name='net')),
                ('tax', billing.money.MoneyField(verbose_name='tax')),
                ('amount', billing.money.MoneyField(verbose_name='amount')),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='billing.invoice')),
            ],
            options={
                'verbose_name': 'invoice line',
                'verbose_name_plural': 'invoice lines',
                'ordering': ['invoice', 'position'],
            },
        ),
        migrations.CreateModel(
            name='InvoiceMail',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('address', models.EmailField(max_length=254, verbose_name='email')),
                ('state', models.CharField(choices=[('pending', 'pending'), ('sent', 'sent'), ('failed', 'failed')], default='pending', max_length=7, verbose_name='state')),
                ('attempts', models.PositiveSmallIntegerField(default=0, verbose_name='attempts')),
                ('next_at', models.DateTimeField(verbose_name='next attempt at')),
                ('credit_note', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='mails', to='billing.creditnote')),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='mails', to='billing.invoice')),
            ],
            options={
                'verbose_name': 'invoice email',
                'verbose_name_plural': 'invoice emails',
            },
        ),
        migrations.CreateModel(
            name='InvoiceSeries',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('prefix', models.CharField(max_length=10, verbose_name='prefix')),
                ('kind', models.CharField(choices=[('invoice', 'invoice'), ('credit_note', 'credit note')], max_length=11, verbose_name='type')),
                ('year', models.PositiveSmallIntegerField(verbose_name='year')),
                ('last', models.PositiveIntegerField(default=0, verbose_name='last number')),
            ],
            options={
                'verbose_name': 'number sequence',
                'verbose_name_plural': 'number sequences',
                'constraints': [models.UniqueConstraint(fields=('prefix', 'kind', 'year'), name='billing_invoice_series_once')],
            },
        ),
        migrations.CreateModel(
            name='InvoiceTax',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField(verbose_name='position')),
                ('name', models.CharField(blank=True, max_length=40, verbose_name='tax name')),
                ('rate', models.PositiveIntegerField(default=0, verbose_name='rate')),
                ('net', billing.money.MoneyField(verbose_name='net')),
                ('tax', billing.money.MoneyField(verbose_name='tax')),
                ('amount', billing.money.MoneyField(verbose_name='amount')),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='taxes', to='billing.invoice')),
            ],
            options={
                'verbose_name': 'tax line',
                'verbose_name_plural': 'tax lines',
                'ordering': ['invoice', 'position'],
            },
        ),
        migrations.CreateModel(
            name='Seller',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=200, verbose_name='legal name')),
                ('address', models.TextField(max_length=400, verbose_name='address')),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('^[A-Z]{2}\\Z', 'Use a two-letter country code, such as CN.')], verbose_name='country')),
                ('tax_id', models.CharField(blank=True, max_length=60, verbose_name='tax ID')),
                ('prefix', models.CharField(max_length=10, validators=[django.core.validators.RegexValidator('^[A-Z0-9]{1,10}\\Z', 'Use 1 to 10 capital letters and digits.')], verbose_name='number prefix')),
                ('zone', models.CharField(default='Asia/Shanghai', max_length=64, verbose_name='time zone')),
                ('first_month', models.DateField(verbose_name='first month')),
            ],
            options={
                'verbose_name': 'seller',
                'verbose_name_plural': 'sellers',
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='billing_seller_only')],
            },
        ),
        migrations.CreateModel(
            name='TaxProfile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('legal_name', models.CharField(max_length=200, verbose_name='legal name')),
                ('address', models.TextField(max_length=400, verbose_name='address')),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('^[A-Z]{2}\\Z', 'Use a two-letter country code, such as CN.')], verbose_name='country')),
                ('tax_id', models.CharField(blank=True, max_length=60, verbose_name='tax ID')),
                ('treatment', models.CharField(choices=[('standard', 'standard'), ('exempt', 'exempt'), ('reverse_charge', 'reverse charge')], default='standard', max_length=14, verbose_name='tax treatment')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='billing contact')),
                ('account', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='tax_profile', to='access.account')),
            ],
            options={
                'verbose_name': 'tax profile',
                'verbose_name_plural': 'tax profiles',
            },
        ),
        migrations.CreateModel(
            name='TaxRate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('country', models.CharField(max_length=2, validators=[django.core.validators.RegexValidator('^[A-Z]{2}\\Z', 'Use a two-letter country code, such as CN.')], verbose_name='country')),
                ('kind', models.CharField(choices=[('messages', 'messages'), ('calls', 'calls')], max_length=8, verbose_name='service')),
                ('name', models.CharField(max_length=40, verbose_name='tax')),
                ('rate', models.PositiveIntegerField(help_text='In 1/100 percent.', validators=[django.core.validators.MaxValueValidator(10000)], verbose_name='rate')),
                ('valid_from', models.DateField(verbose_name='valid from')),
                ('valid_until', models.DateField(blank=True, null=True, verbose_name='valid until')),
            ],
            options={
                'verbose_name': 'tax rate',
                'verbose_name_plural': 'tax rates',
                'ordering': ['country', 'kind', '-valid_from'],
                'constraints': [models.UniqueConstraint(fields=('country', 'kind', 'valid_from'), name='billing_tax_rate_once'), models.CheckConstraint(condition=models.Q(('rate__lte', 10000)), name='billing_tax_rate_most'), models.CheckConstraint(condition=models.Q(('valid_until', None), ('valid_until__gt', models.F('valid_from')), _connector='OR'), name='billing_tax_rate_begins_before_its_end')],
            },
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.UniqueConstraint(fields=('wallet', 'month', 'revision'), name='billing_invoice_once'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.UniqueConstraint(fields=('prefix', 'year', 'serial'), name='billing_invoice_number_once'),
        ),
        migrations.AddConstraint(
            model_name='invoice',
            constraint=models.CheckConstraint(condition=models.Q(('total', django.db.models.expressions.CombinedExpression(models.F('net'), '+', models.F('tax')))), name='billing_invoice_adds_up'),
        ),
        migrations.AddConstraint(
            model_name='creditnote',
            constraint=models.UniqueConstraint(condition=models.Q(('status', 'rejected'), _negated=True), fields=('invoice',), name='billing_credit_once'),
        ),
        migrations.AddConstraint(
            model_name='creditnote',
            constraint=models.UniqueConstraint(condition=models.Q(('serial__isnull', False)), fields=('prefix', 'year', 'serial'), name='billing_credit_number_once'),
        ),
        migrations.AddConstraint(
            model_name='creditnote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'issued'), _negated=True), ('serial__isnull', False), _connector='OR'), name='billing_credit_has_a_number'),
        ),
        migrations.AddConstraint(
            model_name='creditnote',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_by', models.F('asked_by')), _negated=True), ('decided_by', None), _connector='OR'), name='billing_credit_four_eyes'),
        ),
        migrations.AddConstraint(
            model_name='invoiceline',
            constraint=models.UniqueConstraint(fields=('invoice', 'position'), name='billing_invoice_line_once'),
        ),
        migrations.AddConstraint(
            model_name='invoiceline',
            constraint=models.CheckConstraint(condition=models.Q(('amount', django.db.models.expressions.CombinedExpression(models.F('net'), '+', models.F('tax')))), name='billing_invoice_line_adds_up'),
        ),
        migrations.AddIndex(
            model_name='invoicemail',
            index=models.Index(condition=models.Q(('state', 'pending')), fields=['next_at'], name='billing_invoice_mail_due'),
        ),
        migrations.AddConstraint(
            model_name='invoicemail',
            constraint=models.UniqueConstraint(condition=models.Q(('credit_note', None)), fields=('invoice',), name='billing_invoice_mail_once'),
        ),
        migrations.AddConstraint(
            model_name='invoicemail',
            constraint=models.UniqueConstraint(fields=('credit_note',), name='billing_credit_mail_once'),
        ),
        migrations.AddConstraint(
            model_name='invoicetax',
            constraint=models.UniqueConstraint(fields=('invoice', 'position'), name='billing_invoice_tax_once'),
        ),
        migrations.RunPython(run(CREATE), run(DROP)),
    ]
