"""Billing's SQL tables: wallets and their books, prices, messages, campaigns, top-ups, invoices."""

from billing.models.adjustments import Adjustment, RefundRequest
from billing.models.books import (
    AuditRun,
    Batch,
    JournalCheckpoint,
    JournalEntry,
    MoneyOrder,
    Receivable,
    WriterRun,
)
from billing.models.campaigns import Campaign, CampaignPart, DroppedRow, OptOut, Recipient
from billing.models.credit_notes import CreditNote, InvoiceMail
from billing.models.invoices import (
    Invoice,
    InvoiceCursor,
    InvoiceLine,
    InvoiceSeries,
    InvoiceTax,
)
from billing.models.messages import FlaggedReport, HoldIntent, Message
from billing.models.prices import (
    Chatbot,
    Tariff,
    Template,
    TerminalAbility,
    TerminalFile,
    TerminalFilePart,
    TerminalListing,
)
from billing.models.promotions import Promotion, PromotionMove
from billing.models.rates import CallRate, CallUsage
from billing.models.recharges import PaymentMethod, ProviderEvent, Recharge
from billing.models.taxes import Seller, TaxProfile, TaxRate, Treatment
from billing.models.usage import UsageCursor, UsageHour
from billing.models.wallets import Wallet

__all__ = [
    "Adjustment",
    "AuditRun",
    "Batch",
    "CallRate",
    "CallUsage",
    "Campaign",
    "CampaignPart",
    "Chatbot",
    "CreditNote",
    "DroppedRow",
    "FlaggedReport",
    "HoldIntent",
    "Invoice",
    "InvoiceCursor",
    "InvoiceLine",
    "InvoiceMail",
    "InvoiceSeries",
    "InvoiceTax",
    "JournalCheckpoint",
    "JournalEntry",
    "Message",
    "MoneyOrder",
    "OptOut",
    "PaymentMethod",
    "Promotion",
    "PromotionMove",
    "ProviderEvent",
    "Receivable",
    "Recharge",
    "Recipient",
    "RefundRequest",
    "Seller",
    "Tariff",
    "TaxProfile",
    "TaxRate",
    "Template",
    "TerminalAbility",
    "TerminalFile",
    "TerminalFilePart",
    "TerminalListing",
    "Treatment",
    "UsageCursor",
    "UsageHour",
    "Wallet",
    "WriterRun",
]
