"""The only door to the wallet's Lua: key names, commands as values, results, reasons.

charge = hotpath.run(wallet.hold("acme", wallet.HoldRequest("m1", "hash", quote)))

Money is an int of 1/10 000 currency units. docs/reference/billing/redis.md says what Redis holds.
"""

from billing.wallet import reasons
from billing.wallet.batches import (
    BATCH_ENTRIES,
    ClosedBatch,
    Entries,
    Trimmed,
    batch_entries,
    close_batch,
    entries,
    trim_batch,
)
from billing.wallet.building import WalletRefusedError
from billing.wallet.changes import Change, read_change, read_fields
from billing.wallet.charging import (
    BATCH_LIMIT,
    Charge,
    HoldRequest,
    Quote,
    Report,
    cancel,
    cancel_many,
    hold,
    hold_many,
    report,
    report_many,
    sent,
    session,
)
from billing.wallet.keys import WalletKeys
from billing.wallet.life import (
    LOAD_LIMIT,
    STATUS,
    Loaded,
    LoadRow,
    Receipt,
    configure,
    create,
    destroy,
    load,
    load_receipts,
    status,
)
from billing.wallet.messages import MessageState, parse_message, state_text
from billing.wallet.moving import (
    MOVEMENTS,
    VISIT_SECONDS,
    Movement,
    Paid,
    Swept,
    move,
    pay_unpaid,
    purge,
    refuse,
    sweep,
)
from billing.wallet.reading import (
    Balance,
    OpenHolds,
    balance,
    message,
    messages,
    open_holds,
)
from billing.wallet.scripts import SCRIPTS
from billing.wallet.settings import WalletSettings

__all__ = [
    "BATCH_ENTRIES",
    "BATCH_LIMIT",
    "LOAD_LIMIT",
    "MOVEMENTS",
    "SCRIPTS",
    "STATUS",
    "VISIT_SECONDS",
    "Balance",
    "Change",
    "Charge",
    "ClosedBatch",
    "Entries",
    "HoldRequest",
    "LoadRow",
    "Loaded",
    "MessageState",
    "Movement",
    "OpenHolds",
    "Paid",
    "Quote",
    "Receipt",
    "Report",
    "Swept",
    "Trimmed",
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
    "hold",
    "hold_many",
    "load",
    "load_receipts",
    "message",
    "messages",
    "move",
    "open_holds",
    "parse_message",
    "pay_unpaid",
    "purge",
    "read_change",
    "read_fields",
    "reasons",
    "refuse",
    "report",
    "report_many",
    "sent",
    "session",
    "state_text",
    "status",
    "sweep",
    "trim_batch",
]
