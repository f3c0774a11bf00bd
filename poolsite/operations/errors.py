"""Problems of the API about incidents, alert recipients, saved views, webhooks, tags and notes."""

from collections.abc import Mapping
from typing import Final

# type → (status, title, when it is returned).
PROBLEMS: Final[Mapping[str, tuple[int, str, str]]] = {
    "unknown-incident": (
        *(404, "Incident not found"),
        "The incident doesn't exist, or the login has no access to it.",
    ),
    "unknown-recipient": (
        *(404, "Recipient not found"),
        "The alert recipient doesn't exist, or the login has no access to it.",
    ),
    "unknown-object": (
        *(404, "Object not found"),
        "No object of this type has this slug, or there is no access to it.",
    ),
    "unknown-webhook": (
        *(404, "Webhook endpoint not found"),
        "The endpoint doesn't exist, or the token has no access to it.",
    ),
    "unknown-delivery": (404, "Delivery not found", "The endpoint has no delivery with this ID."),
    "unknown-saved-view": (404, "Saved view not found", "You have no saved view with this ID."),
    "unknown-note": (404, "Note not found", "The object has no note with this ID."),
}

_INCIDENT = "incidents/{incident}"
_OBJECT = "objects/{kind}/{slug}"
_WEBHOOK = "webhooks/{slug}"
_DELIVERY = f"{_WEBHOOK}/deliveries/{{delivery}}"
# The problems that each operation of the API returns, including those of other apps.
OPERATIONS: Final[Mapping[str, str]] = {
    f"GET {_INCIDENT}": "unknown-incident",
    **{
        f"POST {_INCIDENT}/{verb}": "unknown-incident"
        for verb in ("acknowledge", "assign", "snooze", "end-snooze", "notes", "resolve")
    },
    **{
        f"{method} alert-recipients/{{recipient}}": "unknown-recipient"
        for method in ("GET", "PATCH", "DELETE")
    },
    "DELETE saved-views/{view}": "unknown-saved-view",
    "POST webhooks": "unconfirmed",
    f"GET {_WEBHOOK}": "unknown-webhook",
    f"PATCH {_WEBHOOK}": "unknown-webhook unconfirmed",
    f"DELETE {_WEBHOOK}": "unknown-webhook unconfirmed",
    f"POST {_WEBHOOK}/rotate": "unknown-webhook unconfirmed",
    **{
        f"POST {_WEBHOOK}/{verb}": "unknown-webhook"
        for verb in ("disable", "enable", "test", "resend")
    },
    f"GET {_WEBHOOK}/deliveries": "unknown-webhook",
    f"GET {_DELIVERY}": "unknown-webhook unknown-delivery",
    f"POST {_DELIVERY}/resend": "unknown-webhook unknown-delivery",
    f"GET {_OBJECT}/tags": "unknown-object",
    f"POST {_OBJECT}/tags": "unknown-object",
    f"GET {_OBJECT}/notes": "unknown-object",
    f"POST {_OBJECT}/notes": "unknown-object",
    f"POST {_OBJECT}/notes/{{note}}/remove": "unknown-object unknown-note",
}
