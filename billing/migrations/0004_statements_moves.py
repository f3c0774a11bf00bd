"""Statements list credits and debits too: the index holds every movement of money."""

from django.db import migrations, models

KINDS = ("recharge", "credit", "debit", "chargeback", "cash_refund", "by_hand")


class Migration(migrations.Migration):
    dependencies = [("billing", "0003_campaign_texts")]

    operations = [
        migrations.AddIndex(
            model_name="journalentry",
            index=models.Index(
                condition=models.Q(("kind__in", KINDS)),
                fields=["wallet", "at_us"],
                name="billing_journal_moves",
            ),
        ),
        migrations.RemoveIndex(model_name="journalentry", name="billing_journal_cash"),
    ]
