"""The only interface to the wallet's Lua: key names, commands as values, results, reasons.

    charge = hotpath.run(wallet.hold("acme", wallet.HoldRequest("m1", "hash", quote)))

Money is an int of 1/10 000 currency units. docs/reference/billing/redis.md describes what Redis
holds.
"""

from billing.wallet import reasons
from billing.wallet.batches import (
    ClosedBatch,
    Entries,
    Trimmed,
    batch_entries,
    close_batch,
    entries,
    trim_batch,
)
from billing.wallet.building import WalletRefusedError
from billing.wallet.changes import WalletChange, read_change, read_entry
from billing.wallet.charging import (
    BATCH_LIMIT,
    Charge,
    DeliveryReport,
    HoldRequest,
    Quote,
    cancel,
    cancel_many,
    hold,
    hold_many,
    report,
    report_many,
    sent,
    session,
)
from billing.wallet.giving import (
    MOST_GRANTS,
    Grant,
    grant,
    grants_text,
    parts_text,
    read_grants,
    read_parts,
    revoke,
)
from billing.wallet.keys import WalletKeys
from billing.wallet.life import (
    LOAD_LIMIT,
    LoadRow,
    Receipt,
    configure,
    create,
    destroy,
    load,
    load_receipts,
    status,
)
from billing.wallet.messages import MessageState, parse_message
from billing.wallet.moving import (
    MOVEMENTS,
    VISIT_SECONDS,
    Movement,
    move,
    pay_unpaid,
    purge,
    refuse,
    sweep,
)
from billing.wallet.reading import Balance, balance, message, messages, open_holds
from billing.wallet.scripts import SCRIPTS
from billing.wallet.settings import WalletSettings

__all__ = [
    "BATCH_LIMIT",
    "LOAD_LIMIT",
    "MOST_GRANTS",
    "MOVEMENTS",
    "SCRIPTS",
    "VISIT_SECONDS",
    "Balance",
    "Charge",
    "ClosedBatch",
    "DeliveryReport",
    "Entries",
    "Grant",
    "HoldRequest",
    "LoadRow",
    "MessageState",
    "Movement",
    "Quote",
    "Receipt",
    "Trimmed",
    "WalletChange",
    "WalletKeys",
    "WalletRefusedError",
    "WalletSettings",
    "balance",
    "batch_entries",
    "cancel",
    "cancel_many",
    "close_batch",
    "configure",
    "create",
    "destroy",
    "entries",
    "grant",
    "grants_text",
    "hold",
    "hold_many",
    "load",
    "load_receipts",
    "message",
    "messages",
    "move",
    "open_holds",
    "parse_message",
    "parts_text",
    "pay_unpaid",
    "purge",
    "read_change",
    "read_entry",
    "read_grants",
    "read_parts",
    "reasons",
    "refuse",
    "report",
    "report_many",
    "revoke",
    "sent",
    "session",
    "status",
    "sweep",
    "trim_batch",
]
