"""The API's errors about people, tokens and the audit log."""

from collections.abc import Mapping
from typing import Final

# type → (status, title, when it is returned).
PROBLEMS: Final[Mapping[str, tuple[int, str, str]]] = {
    "unknown-account": (
        *(404, "Account not found"),
        "The account doesn't exist, or the token has no access to it.",
    ),
    "unknown-user": (404, "User not found", "No user of this account or platform has this ID."),
    "unknown-invitation": (
        *(404, "Invitation not found"),
        "No invitation here has this ID.",
    ),
    "unknown-request": (404, "Request not found", "No finance request has this ID."),
    "unknown-token": (
        *(404, "Token not found"),
        "The token doesn't exist, or the login has no access to it.",
    ),
    "unknown-entry": (
        *(404, "Entry not found"),
        "The audit log has no entry with this ID, or the login has no access to it.",
    ),
    "unconfirmed": (
        *(403, "Confirm the login first"),
        "The login was confirmed too long ago. Confirm it in the console, then repeat the request.",
    ),
}

_ACCOUNT = "people/accounts/{slug}"
# The errors of each operation of the API: those above and other apps' types.
OPERATIONS: Final[Mapping[str, str]] = {
    f"GET {_ACCOUNT}": "unknown-account",
    f"PATCH {_ACCOUNT}": "unknown-account",
    f"GET {_ACCOUNT}/members": "unknown-account",
    f"PATCH {_ACCOUNT}/members/{{user}}": "unknown-account unknown-user",
    f"POST {_ACCOUNT}/members/{{user}}/remove": "unknown-account unknown-user",
    f"GET {_ACCOUNT}/invitations": "unknown-account",
    f"POST {_ACCOUNT}/invitations": "unknown-account unconfirmed",
    f"POST {_ACCOUNT}/invitations/{{invitation}}/withdraw": "unknown-account unknown-invitation",
    "PATCH people/operators/{user}": "unknown-user unconfirmed",
    "POST people/operator-invitations": "unconfirmed",
    "POST people/operator-invitations/{invitation}/withdraw": "unknown-invitation",
    "GET people/finance-requests/{finance_request}": "unknown-request",
    "POST people/finance-requests/{finance_request}/approve": "unknown-request second-factor",
    "POST people/finance-requests/{finance_request}/reject": "unknown-request second-factor",
    "POST people/users/{user}/deactivate": "unknown-user",
    "POST people/users/{user}/activate": "unknown-user unconfirmed",
    "POST people/users/{user}/reset-factor": "unknown-user unconfirmed",
    "POST tokens": "unknown-account unconfirmed",
    "GET tokens/{token}": "unknown-token",
    "POST tokens/{token}/revoke": "unknown-token",
    "GET audit-log/{entry}": "unknown-entry",
    "POST audit-log/{entry}/undo": "unknown-entry second-factor unconfirmed",
}
