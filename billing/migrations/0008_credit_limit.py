"""A credit limit for each wallet: the balance may go below zero, never below the highest limit."""

from django.db import migrations, models

import billing.money
from poolsite.sql_migrations import AddLooserCheck


class Migration(migrations.Migration):
    dependencies = [("billing", "0007_invoices")]

    operations = [
        migrations.AddField(
            model_name="wallet",
            name="credit_limit",
            field=billing.money.MoneyField(
                db_default=0,
                default=0,
                help_text="How far the balance can go below zero. 0: prepaid only.",
                verbose_name="credit limit",
            ),
        ),
        migrations.AddField(
            model_name="wallet",
            name="highest_credit_limit",
            field=billing.money.MoneyField(
                db_default=0,
                default=0,
                editable=False,
                verbose_name="highest credit limit so far",
            ),
        ),
        AddLooserCheck(
            model_name="wallet",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("credit_limit__gte", 0),
                    ("held__gte", 0),
                    ("highest_credit_limit__gte", models.F("credit_limit")),
                    ("receivable__gte", 0),
                    ("spendable__gte", models.F("highest_credit_limit") * -1),
                ),
                name="billing_wallet_never_below_credit",
            ),
            instead_of="billing_wallet_never_below_zero",
        ),
    ]
