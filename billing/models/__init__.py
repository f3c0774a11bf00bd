"""What SQL remembers of money: wallets and their books, prices, messages, campaigns, recharges."""

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
from billing.models.recharges import PaymentMethod, ProviderEvent, Recharge
from billing.models.usage import UsageCursor, UsageHour
from billing.models.wallets import Wallet

__all__ = [
    "Adjustment",
    "AuditRun",
    "Batch",
    "Campaign",
    "CampaignPart",
    "Chatbot",
    "DroppedRow",
    "FlaggedReport",
    "HoldIntent",
    "JournalCheckpoint",
    "JournalEntry",
    "Message",
    "MoneyOrder",
    "OptOut",
    "PaymentMethod",
    "ProviderEvent",
    "Receivable",
    "Recharge",
    "Recipient",
    "RefundRequest",
    "Tariff",
    "Template",
    "TerminalAbility",
    "TerminalFile",
    "TerminalFilePart",
    "TerminalListing",
    "UsageCursor",
    "UsageHour",
    "Wallet",
    "WriterRun",
]
