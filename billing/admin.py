"""The admin's lists of money. They are read-only: all changes go through the services."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Field
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

from billing import models
from billing.admin_filters import account_filter
from billing.money import MoneyField
from billing.presentation import KIND_WORDS, MODE_WORDS, exact, mode_word, state_word
from billing.recharging.reports import ReportResult
from billing.recharging.variants import label_of
from poolsite.console.admin_columns import ReadableAdmin, Words, Written
from poolsite.console.admin_lists import audit_log_of

# The results of a provider's notification (billing.recharging.reports.Answer).
ANSWERS = {
    ReportResult.CREDITED: gettext_lazy("Credited"),
    ReportResult.REPEAT: gettext_lazy("Repeat"),
    ReportResult.WRONG_AMOUNT: gettext_lazy("Wrong amount"),
    ReportResult.WRONG_REFERENCE: gettext_lazy("Wrong reference"),
    ReportResult.REVERSED_ALREADY: gettext_lazy("Already refunded"),
    ReportResult.NOT_CREDITED: gettext_lazy("Not credited"),
    ReportResult.TAKEN_BACK: gettext_lazy("Reversed"),
    ReportResult.REINSTATED: gettext_lazy("Reinstated"),
    ReportResult.NOTED: gettext_lazy("Noted"),
    ReportResult.TOO_LATE: gettext_lazy("Too late"),
    ReportResult.TOO_EARLY: gettext_lazy("Too early"),
    ReportResult.UNKNOWN: gettext_lazy("Unknown payment"),
    ReportResult.IGNORED: gettext_lazy("Ignored"),
}


def _state_word(state: str) -> str:
    return state_word(state)[0]


class Looked(ReadableAdmin):
    """Rows of a wallet, read-only for users who may see the wallet. Amounts in currency units."""

    view_action = "billing.books"
    account_field = "wallet__account"
    ordering = ("-pk",)
    related: ClassVar[tuple[str, ...]] = ("wallet__account",)
    figures = (MoneyField,)

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        cls.list_filter = [
            account_filter(f"{cls.account_field}__slug"),
            *cls.__dict__.get("filters", ()),
        ]

    @admin.display(description=gettext_lazy("account"), ordering="wallet")
    def wallet_written(self, row: Any) -> str:
        """Return the name of the row's account. Its column isn't "wallet": people see a balance."""
        return str(row.wallet)

    def writer_of(self, field: "Field[Any, Any]") -> Written | None:
        """Write money in currency units."""
        return exact if isinstance(field, MoneyField) else super().writer_of(field)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of the wallet, which records who did what."""
        found = self.get_object(request, object_id)
        return audit_log_of("wallet", getattr(getattr(found, "wallet", found), "slug", ""))


@admin.register(models.Wallet)
class WalletAdmin(Looked):
    """Wallets as stored in the books. Their pages show the live figures."""

    account_field = "account"
    related = ("account",)
    ordering = ("account__slug",)
    list_display = ("account", "status", "spendable", "held", "receivable")
    search_fields = ("account__slug__startswith", "account__name__istartswith")
    filters = ("status",)


@admin.register(models.Recharge)
class RechargeAdmin(Looked):
    """Top-ups."""

    hidden = ("token", "extra_data")  # both open the payer's page at the provider
    words = {"variant": label_of}
    list_display = ("number", "wallet", "amount", "currency", "status", "variant", "created")
    search_fields = ("transaction_id", "provider_payment")
    filters = ("status", "variant", "is_automatic")


@admin.register(models.ProviderEvent)
class ProviderEventAdmin(Looked):
    """Events that providers sent."""

    account_field = "recharge__wallet__account"
    related = ("recharge__wallet__account",)
    words = {"variant": label_of, "answer": Words(ANSWERS)}
    list_display = ("event_id", "variant", "kind", "answer", "times", "at")
    search_fields = ("event_id",)
    filters = ("variant", "answer")

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of the wallet, if the event belongs to one."""
        found = self.get_object(request, object_id)
        recharge = getattr(found, "recharge", None)
        return audit_log_of("wallet", recharge.wallet.slug if recharge is not None else "")


@admin.register(models.PaymentMethod)
class PaymentMethodAdmin(Looked):
    """Saved cards, by the names that their providers gave them."""

    hidden = ("reference", "customer")  # both identify the card at the provider
    words = {"variant": label_of}
    list_display = ("label", "wallet", "variant", "created_at", "removed_at")


@admin.register(models.Adjustment)
class AdjustmentAdmin(Looked):
    """Adjustments that operators requested."""

    words = {"kind": Words(dict(models.Adjustment.kinds()))}
    list_display = ("wallet", "kind", "amount", "status", "asked_by", "decided_by", "asked_at")
    related = ("wallet__account", "asked_by", "decided_by")
    filters = ("status", "kind")


@admin.register(models.RefundRequest)
class RefundRequestAdmin(Looked):
    """Refunds that customers requested."""

    list_display = ("wallet", "amount", "status", "asked_by", "asked_at")
    related = ("wallet__account", "asked_by")
    filters = ("status",)


@admin.register(models.Promotion)
class PromotionAdmin(Looked):
    """Promotional credit."""

    list_display = ("wallet", "amount", "remaining", "expires_at", "granted_by", "revoked_at")


@admin.register(models.PromotionMove)
class PromotionMoveAdmin(Looked):
    """Changes of promotional credit."""

    words = {"kind": Words(KIND_WORDS)}
    list_display = ("wallet", "promotion", "kind", "operation_id", "amount", "at")
    related = ("wallet__account", "promotion")


@admin.register(models.MoneyOrder)
class MoneyOrderAdmin(Looked):
    """Money orders: the outbox to Redis."""

    list_display = ("operation_id", "wallet", "kind", "amount", "created_at", "applied_at")
    filters = ("kind", ("applied_at", admin.EmptyFieldListFilter))


@admin.register(models.JournalEntry)
class JournalEntryAdmin(Looked):
    """The journal, newest first."""

    words = {"kind": Words(KIND_WORDS), "mode": mode_word, "state": _state_word}
    list_display = ("at_us", "wallet", "kind", "operation_id", "spendable", "held", "revenue")
    sortable_by = ()


@admin.register(models.Batch)
class BatchAdmin(Looked):
    """Closed batches."""

    list_display = ("wallet", "batch_number", "first_seq", "last_seq", "amount", "written_at")


@admin.register(models.Receivable)
class ReceivableAdmin(Looked):
    """Amounts owed, and what was paid of them."""

    list_display = ("wallet", "operation_id", "amount", "at")


@admin.register(models.FlaggedReport)
class FlaggedReportAdmin(Looked):
    """Reports that need a person."""

    words = {"reported_mode": mode_word, "state": _state_word}
    list_display = ("message_id", "wallet", "flag", "difference", "at", "closing", "closed_by")
    filters = ("flag", "closing")


@admin.register(models.Message)
class MessageAdmin(Looked):
    """Messages, newest first."""

    words = {"mode": mode_word, "flag": Words(dict(models.FlaggedReport.Flag.choices))}
    list_display = ("message_id", "wallet", "state", "mode", "quoted", "charged", "held_at")
    filters = ("state", "kind")


class OfAccount(Looked):
    """Rows with their own account column."""

    account_field = "account"
    related = ("account",)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: Any = None
    ) -> HttpResponse:
        """Redirect to the audit log of this row."""
        return audit_log_of(str(self.model._meta.model_name), object_id)


@admin.register(models.Tariff)
class TariffAdmin(OfAccount):
    """Tariffs."""

    words = {"unit_price": exact}
    labels = MODE_WORDS | {
        "unit_price": gettext_lazy("unit price"),
        "characters_per_unit": gettext_lazy("Characters per unit"),
        "kilobytes_per_unit": gettext_lazy("Kilobytes per unit"),
    }
    list_display = ("account", "name", "valid_from", "valid_until")


@admin.register(models.Chatbot)
class ChatbotAdmin(OfAccount):
    """Chatbots: the senders of messages."""

    list_display = ("account", "slug", "name", "rate_limit", "archived_at")


@admin.register(models.OptOut)
class OptOutAdmin(OfAccount):
    """Numbers that no campaign may be sent to."""

    list_display = ("account", "number", "reason", "added_by", "created_at")
    search_fields = ("number__startswith",)


@admin.register(models.Template)
class TemplateAdmin(OfAccount):
    """Templates."""

    account_field = "chatbot__account"
    related = ("chatbot__account",)
    list_display = ("name", "chatbot", "native_kind", "link_registered", "archived_at")


@admin.register(models.Campaign)
class CampaignAdmin(Looked):
    """Campaigns."""

    list_display = ("name", "wallet", "status", "uploaded", "created_at", "ended_at")
    filters = ("status",)


@admin.register(models.Invoice)
class InvoiceAdmin(Looked):
    """Invoices, newest first."""

    list_display = ("number", "wallet", "month", "net", "tax", "total", "issued_on")
    search_fields = ("number__startswith",)


@admin.register(models.CreditNote)
class CreditNoteAdmin(Looked):
    """Credit notes, issued or waiting for approval."""

    account_field = "invoice__wallet__account"
    related = ("invoice__wallet__account", "asked_by", "decided_by")
    list_display = ("number", "invoice", "status", "asked_by", "decided_by", "asked_at")
    filters = ("status",)
