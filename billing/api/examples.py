"""Example values of the OpenAPI document: a message of one account, from the hold to the charge."""

from collections.abc import Mapping
from typing import Any, Final

from poolsite.api.examples import AT_US

MESSAGE: Final = "m-20260301-000418"
HELD: Final = {
    "message_id": MESSAGE,
    "outcome": "held",
    "state": "held",
    "quoted": "0.0900",
    "held": "0.0900",
    "charged": "0.0000",
    "spendable": "1284.3100",
    "seq": 40_217,
    "flag": "",
}

EXAMPLES: Final[Mapping[str, Mapping[str, Any]]] = {
    "accounts": {"slug": "acme", "message_id": MESSAGE},
    "HoldIn": {
        "message_id": MESSAGE,
        "chatbot": "shop-news",
        "to": "+8613900000001",
        "native": "text",
        "text": "Your order 1042 has been shipped.",
    },
    "IdIn": {"message_id": MESSAGE},
    "ReportIn": {
        "message_id": MESSAGE,
        "final": True,
        "delivered": True,
        "mode": "native_text",
    },
    "SessionIn": {"message_id": MESSAGE, "chatbot": "shop-news", "text": "Where is my order?"},
    "MessageAnswer": HELD,
    "MessageItemAnswer": {**HELD, "status": 200},
    "BalanceOut": {
        "currency": "CNY",
        "balance": "1284.3100",
        "credit_limit": "0.0000",
        "promotional": "0.0000",
        "spendable": "1284.3100",
        "held": "0.0900",
        "receivable": "0.0000",
        "spent_today": "215.6000",
        "daily_limit": "500.0000",
        "open_holds": 1,
        "generation": 1,
        "seq": 40_217,
    },
    "MessageOut": {
        "message_id": MESSAGE,
        "kind": "message",
        "state": "settled",
        "mode": "native_text",
        "chatbot": "shop-news",
        "tariff": 3,
        "quoted": "0.0900",
        "held": "0.0000",
        "charged": "0.0900",
        "prices": {"native_text": "0.0900"},
        "since": AT_US,
    },
}
