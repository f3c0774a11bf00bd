"""Promotional credit: rows of their own, and a leg of the journal."""

import django.db.models.deletion
from django.db import migrations, models

import billing.money
from poolsite.sql_migrations import AddLooserCheck


class Migration(migrations.Migration):
    dependencies = [("billing", "0008_credit_limit")]

    operations = [
        migrations.CreateModel(
            name="Promotion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("amount", billing.money.MoneyField(verbose_name="amount")),
                (
                    "remaining",
                    billing.money.MoneyField(
                        db_default=0, default=0, editable=False, verbose_name="left"
                    ),
                ),
                ("expires_at", models.DateTimeField(verbose_name="expires")),
                ("reason", models.CharField(max_length=200, verbose_name="reason")),
                ("granted_by", models.CharField(max_length=150, verbose_name="granted by")),
                (
                    "operation_id",
                    models.CharField(max_length=80, unique=True, verbose_name="operation"),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True, verbose_name="created at")),
                (
                    "revoked_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="revoked at"),
                ),
                (
                    "revoked_by",
                    models.CharField(blank=True, max_length=150, verbose_name="revoked by"),
                ),
                (
                    "wallet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotions",
                        to="billing.wallet",
                    ),
                ),
            ],
            options={
                "verbose_name": "promotional credit",
                "verbose_name_plural": "promotional credits",
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount__gt", 0)), name="billing_promotion_above_zero"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("remaining__gte", 0), ("remaining__lte", models.F("amount"))
                        ),
                        name="billing_promotion_remaining",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="PromotionMove",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("generation", models.PositiveBigIntegerField(verbose_name="generation")),
                ("seq", models.PositiveBigIntegerField(verbose_name="sequence number")),
                ("kind", models.CharField(max_length=16, verbose_name="type")),
                ("operation_id", models.CharField(max_length=80, verbose_name="operation")),
                (
                    "amount",
                    billing.money.MoneyField(
                        help_text="Negative when it was used or has expired.",
                        verbose_name="amount",
                    ),
                ),
                ("at", models.DateTimeField(verbose_name="at")),
                (
                    "promotion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="moves",
                        to="billing.promotion",
                    ),
                ),
                (
                    "wallet",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="promotion_moves",
                        to="billing.wallet",
                    ),
                ),
            ],
            options={
                "verbose_name": "use of promotional credit",
                "verbose_name_plural": "uses of promotional credit",
                "indexes": [
                    models.Index(
                        fields=["wallet", "operation_id"], name="billing_promotion_move_of"
                    ),
                    models.Index(fields=["wallet", "at"], name="billing_promotion_move_at"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("wallet", "generation", "seq", "promotion"),
                        name="billing_promotion_move_once",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="adjustment",
            name="expires_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="expires"),
        ),
        migrations.AddField(
            model_name="journalentry",
            name="promotion",
            field=billing.money.MoneyField(
                db_default=0, default=0, verbose_name="promotional credit"
            ),
        ),
        AddLooserCheck(
            model_name="journalentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "spendable",
                        models.F("held") * -1
                        - models.F("receivable")
                        - models.F("revenue")
                        - models.F("cash")
                        - models.F("promotion"),
                    )
                ),
                name="billing_journal_sums_to_zero",
            ),
            instead_of="billing_journal_balances",
        ),
        migrations.AlterField(
            model_name="moneyorder",
            name="kind",
            field=models.CharField(
                choices=[
                    ("recharge", "recharge"),
                    ("credit", "credit"),
                    ("debit", "debit"),
                    ("chargeback", "chargeback"),
                    ("cash_refund", "cash refund"),
                    ("by_hand", "charged manually"),
                    ("grant", "promotional credit"),
                    ("revoke", "promotional credit revoked"),
                ],
                max_length=12,
                verbose_name="type",
            ),
        ),
    ]
