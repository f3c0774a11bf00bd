"""The problems that billing's use cases can return, with their texts in the API."""

from collections.abc import Mapping

from poolsite.api.problems import RefusedError

# type → (status, title, when it is returned).
PROBLEMS: Mapping[str, tuple[int, str, str]] = {
    "unknown-account": (
        *(404, "Account not found"),
        "The account doesn't exist, or the token has no access to it.",
    ),
    "unknown-message": (404, "Message not found", "No message has this ID."),
    "unknown-campaign": (404, "Campaign not found", "The account has no campaign with this ID."),
    "unknown-template": (404, "Template not found", "The account has no template with this ID."),
    "unknown-chatbot": (404, "Chatbot not found", "The account has no chatbot with this ID."),
    "unknown-tariff": (404, "Tariff not found", "The account has no tariff with this ID."),
    "unknown-top-up": (404, "Top-up not found", "The account has no top-up with this ID."),
    "unknown-adjustment": (
        *(404, "Adjustment not found"),
        "The account has no adjustment with this ID.",
    ),
    "unknown-refund": (
        *(404, "Refund request not found"),
        "The account has no refund request with this ID.",
    ),
    "unknown-promotion": (
        *(404, "Promotional credit not found"),
        "The account has no promotional credit with this ID.",
    ),
    "unknown-opt-out": (404, "Opt-out not found", "The account has no opt-out with this ID."),
    "unknown-report": (404, "Report not found", "The account has no flagged report with this ID."),
    "unknown-invoice": (404, "Invoice not found", "The account has no invoice with this ID."),
    "unknown-credit-note": (404, "Credit note not found", "The invoice has no credit note."),
    "unknown-seller": (404, "Seller not found", "No seller was entered."),
    "unknown-tax-rate": (404, "Tax rate not found", "No tax rate has this ID."),
    "month-not-final": (
        *(409, "The month is not complete"),
        "The PDF is available once the month is over and all its entries are in the books.",
    ),
    "insufficient-balance": (
        *(402, "The balance is insufficient"),
        "The balance is too low. Top up, then repeat the request with the same ID.",
    ),
    "account-frozen": (
        *(409, "The account is frozen"),
        "The account is frozen. Open messages are still settled.",
    ),
    "account-closed": (
        *(409, "The account is closed"),
        "The account is closed. Open messages are still settled.",
    ),
    "daily-limit": (
        *(409, "The account's daily limit is reached"),
        "The account's daily limit is reached.",
    ),
    "too-late": (
        *(409, "The message was already sent or has ended"),
        "The message was already sent or has ended.",
    ),
    "cancelled": (409, "The message was cancelled", "The message was cancelled and can't be sent."),
    "refused": (
        *(409, "The state does not allow this"),
        "The message was released, expired or failed, and can't be sent.",
    ),
    "other-body": (
        *(422, "The ID was used for another message"),
        "The ID was used for another message, which is unchanged.",
    ),
    "no-tariff": (
        *(422, "No tariff is valid now"),
        "No tariff is valid now, or it has no price for this mode.",
    ),
    "no-rate": (
        *(422, "No rate for this destination"),
        "The tariff has call rates, but none for the callee's number at this time, and no price "
        "for every call.",
    ),
    "backlog-full": (
        *(503, "The write backlog is full"),
        "Too many entries wait to be written. Repeat the request in a moment.",
    ),
    "safe-mode": (
        *(503, "The account is being recovered"),
        "The account is being recovered. Reports and refunds still work.",
    ),
}

_OF = "accounts/{slug}"
_SEEN = "unknown-account"
_PAID = "unknown-account second-factor"  # for users who must prove a second factor
_PAID_STATE = f"{_PAID} wrong-state"
_CAMPAIGN, _TARIFF = f"{_OF}/campaigns/{{campaign}}", f"{_OF}/tariffs/{{tariff}}"
_ADJUSTMENT, _REFUND = f"{_OF}/adjustments/{{adjustment}}", f"{_OF}/refunds/{{refund}}"
_CHATBOT, _TEMPLATE = f"{_OF}/chatbots/{{chatbot}}", f"{_OF}/templates/{{template}}"
_REPORT = f"{_OF}/flagged-reports/{{report}}"
_INVOICE = f"{_OF}/invoices/{{invoice}}"

# The problem types above that each operation behind Django can return.
_BEHIND_DJANGO: Mapping[str, str] = {
    f"GET {_OF}": _SEEN,
    **{f"POST {_OF}/{verb}": _PAID for verb in ("open", "rebuild", "payment-method/remove")},
    **{
        f"POST {_OF}/{part}": _PAID_STATE
        for part in (
            *("freeze", "unfreeze", "close", "credit-limit"),
            *("tariff-previews", "top-ups", "promotions", "refunds"),
        )
    },
    **{f"{method} {_OF}/settings": _PAID for method in ("GET", "PATCH")},
    f"GET {_OF}/messages": f"{_SEEN} unknown-campaign",
    **{
        f"GET {_OF}/{part}": _SEEN
        for part in (
            *("entries", "statements", "open-holds", "receivables", "tariffs", "top-ups"),
            *("campaigns", "chatbots", "templates", "opt-outs", "flagged-reports"),
            *("invoices", "tax-profile"),
        )
    },
    **{
        f"GET {_OF}/statements/{part}": f"{_SEEN} not-found"  # a month without a statement
        for part in ("{month}", "{month}/rows", "{month}/csv")
    },
    f"GET {_OF}/statements/{{month}}/pdf": f"{_SEEN} not-found month-not-final",
    f"POST {_OF}/tariffs": _PAID,
    **dict.fromkeys((f"GET {_TARIFF}", f"GET {_TARIFF}/call-rates"), f"{_SEEN} unknown-tariff"),
    **dict.fromkeys((f"PATCH {_TARIFF}", f"DELETE {_TARIFF}"), f"{_PAID_STATE} unknown-tariff"),
    f"POST {_TARIFF}/end": f"{_PAID} unknown-tariff",
    f"GET {_OF}/top-ups/{{top_up}}": f"{_SEEN} unknown-top-up",
    f"POST {_OF}/top-ups/{{top_up}}/cancel": f"{_PAID} unknown-top-up",
    f"GET {_OF}/adjustments": _PAID,
    f"POST {_OF}/adjustments": f"{_PAID_STATE} unknown-top-up",
    f"GET {_ADJUSTMENT}": f"{_PAID} unknown-adjustment",
    **{
        f"POST {_ADJUSTMENT}/{verb}": f"{_PAID_STATE} unknown-adjustment"
        for verb in ("approve", "reject", "cancel")
    },
    f"GET {_OF}/promotions": _SEEN,
    f"POST {_OF}/promotions/{{promotion}}/revoke": f"{_PAID_STATE} unknown-promotion",
    f"GET {_OF}/refunds": _PAID,
    **{
        f"POST {_REFUND}/{verb}": f"{_PAID_STATE} unknown-refund"
        for verb in ("withdraw", "accept", "decline")
    },
    f"POST {_OF}/campaigns": f"{_SEEN} unknown-template",
    **{
        f"{method} {_CAMPAIGN}{part}": f"{_SEEN} unknown-campaign"
        for method, part in (
            *(("GET", part) for part in ("", "/recipients", "/dropped-rows", "/estimate")),
            ("POST", "/test-send"),
        )
    },
    **{
        f"{method} {_CAMPAIGN}{part}": f"{_SEEN} unknown-campaign wrong-state"
        for method, part in (
            *(("POST", f"/{verb}") for verb in ("recipients", "send", "pause")),
            *(("POST", "/resume"), ("POST", "/cancel"), ("DELETE", "")),
        )
    },
    f"PATCH {_CAMPAIGN}": f"{_SEEN} unknown-campaign unknown-template wrong-state",
    f"POST {_CAMPAIGN}/await-top-up": f"{_PAID_STATE} unknown-campaign",
    f"POST {_OF}/chatbots": _SEEN,
    f"POST {_OF}/templates": f"{_SEEN} unknown-chatbot",
    **{
        f"{method} {_CHATBOT}{part}": f"{_SEEN} unknown-chatbot"
        for method, part in (
            *(("GET", ""), ("PATCH", "")),
            *(("POST", f"/{verb}") for verb in ("archive", "restore", "token")),
        )
    },
    **{
        f"{method} {_TEMPLATE}{part}": f"{_SEEN} unknown-template"
        for method, part in (
            *(("GET", ""), ("PATCH", ""), ("POST", "/archive"), ("POST", "/restore")),
        )
    },
    f"POST {_OF}/opt-outs": _SEEN,
    f"POST {_OF}/opt-outs/{{opt_out}}/remove": f"{_SEEN} unknown-opt-out",
    **{f"POST {_REPORT}/{verb}": f"{_PAID_STATE} unknown-report" for verb in ("accept", "charge")},
    f"POST {_OF}/invoices": f"{_PAID} not-found",  # a month that can't be invoiced
    f"PUT {_OF}/tax-profile": _PAID,
    **{f"{method} {_OF}/alert-recipients": _PAID for method in ("GET", "POST")},
    f"DELETE {_OF}/alert-recipients/{{recipient}}": f"{_PAID} unknown-recipient",
    **{f"GET {_INVOICE}{part}": f"{_SEEN} unknown-invoice" for part in ("", "/pdf", "/csv")},
    f"GET {_INVOICE}/credit/pdf": f"{_SEEN} unknown-invoice unknown-credit-note",
    f"POST {_INVOICE}/credit": f"{_PAID_STATE} unknown-invoice",
    **{
        f"POST {_INVOICE}/credit/{verb}": f"{_PAID_STATE} unknown-invoice unknown-credit-note"
        for verb in ("approve", "reject")
    },
    "GET invoicing/seller": "unknown-seller",
    **dict.fromkeys(("PUT invoicing/seller", "POST invoicing/tax-rates"), "second-factor"),
    "POST invoicing/tax-rates/{rate}/end": "second-factor unknown-tax-rate",
}

# The problem types that each API operation can return: those above and those of other apps.
OPERATIONS: Mapping[str, str] = {
    **_BEHIND_DJANGO,
    "POST accounts/{slug}/holds": (
        "unknown-account insufficient-balance account-frozen account-closed "
        "daily-limit other-body no-tariff too-many-requests backlog-full safe-mode"
    ),
    "POST accounts/{slug}/sent": "unknown-account unknown-message cancelled refused",
    "POST accounts/{slug}/cancellations": "unknown-account unknown-message too-late",
    "POST accounts/{slug}/settlements": "unknown-account backlog-full",
    "POST accounts/{slug}/sessions": (
        "unknown-account insufficient-balance account-frozen account-closed "
        "daily-limit other-body no-tariff backlog-full safe-mode"
    ),
    "GET accounts/{slug}/balance": "unknown-account",
    "GET accounts/{slug}/messages/{message_id}": "unknown-account unknown-message",
}


class BillingError(RefusedError):
    """A use case of money was refused. Nothing was changed."""
