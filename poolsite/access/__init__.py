"""Accounts (tenants), users, roles, tokens and the audit log: who may do what, and who did it.

`from poolsite import access` provides what other apps call. docs/reference/access.md explains the
rules.
"""

from typing import TYPE_CHECKING, Any

from poolsite.access.actions import (
    AccessRefused,
    Decision,
    FactorNeeded,
    Forbidden,
    Hidden,
    LoginNeeded,
    decide,
    decide_found,
    enforce,
    register_action,
    require,
    require_fresh_factor,
)
from poolsite.access.addresses import client_address, client_address_of_scope
from poolsite.access.auditing import audit
from poolsite.access.first_pages import first_page, register_first_page
from poolsite.access.origins import origin_allowed
from poolsite.access.principal import (
    ANONYMOUS,
    Principal,
    Thing,
    TokenScope,
    VisitorScope,
)
from poolsite.access.principals import (
    principal_of_request,
    principal_of_scope,
    principal_of_user,
)
from poolsite.access.visibility import require_one, visible

if TYPE_CHECKING:
    from poolsite.access.rights.watches import Watch, watch

__all__ = [
    "ANONYMOUS",
    "AccessRefused",
    "Decision",
    "FactorNeeded",
    "Forbidden",
    "Hidden",
    "LoginNeeded",
    "Principal",
    "Thing",
    "TokenScope",
    "VisitorScope",
    "Watch",
    "audit",
    "client_address",
    "client_address_of_scope",
    "decide",
    "decide_found",
    "enforce",
    "first_page",
    "origin_allowed",
    "principal_of_request",
    "principal_of_scope",
    "principal_of_user",
    "register_action",
    "register_first_page",
    "require",
    "require_fresh_factor",
    "require_one",
    "visible",
    "watch",
]


def __getattr__(name: str) -> Any:
    """Import what needs Redis at its first use: this package loads before the settings."""
    if name in ("watch", "Watch"):
        from poolsite.access.rights import watches

        return getattr(watches, name)
    raise AttributeError(name)
