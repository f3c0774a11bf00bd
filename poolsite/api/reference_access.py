"""The credentials that each operation accepts, and the permissions that a token needs for it.

The classes that authenticate requests report theirs (`CredentialAuth.told`). The table is about
operations that check permissions in their own code: it lists what they require, and leaves out what
depends on the request.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from ninja import NinjaAPI

from poolsite.access.actions import actions
from poolsite.access.token_areas import rights
from poolsite.api.credentials import CredentialAuth, CredentialDescription

ROOT: Final = "/api/v1/"
# The hot lane takes no cookie: path (of a POST) → the required permission, "" if it depends.
MACHINES: Final = {
    "pools/{slug}/events": "numbers.event",
    "pools/{slug}/live": "numbers.event",
    "accounts/{slug}/holds": "billing.hold",
    "accounts/{slug}/sent": "billing.hold",
    "accounts/{slug}/cancellations": "billing.hold",
    "accounts/{slug}/settlements": "billing.hold",
    "accounts/{slug}/sessions": "billing.hold",
    "gates/{slug}/acquire": "admission.use",
    "gates/{slug}/release": "admission.use",
    "gates/{slug}/renew": "admission.use",
    "gates/{slug}/incr": "admission.use",
    "gates/{slug}/decr": "admission.use",
    "gates/{slug}/observe": "admission.use",
    "devices/{device}/report": "",
}
# POST requests served before Django, in the hot lane.
HOT: Final = frozenset({*MACHINES, "visits/{visit}/beat"})
# The verbs of an adjustment, of a campaign, and of a template or chatbot.
_DECIDED: Final = ("approve", "reject", "cancel")
_STEPS: Final = ("recipients", "test-send", "send", "pause", "resume", "cancel")
_SHELF: Final = ("archive", "restore")
# All reads under a first path segment need the same, unless the whole path has a row.
READERS: Final = {
    "pools": "numbers.view",
    "numbers": "numbers.view",
    "accounts": "billing.view",
    "accounts/{slug}/settings": "billing.pay",
    "accounts/{slug}/refunds": "billing.pay",
    "accounts/{slug}/alert-recipients": "billing.pay",
    "accounts/{slug}/adjustments": "billing.finance",
    "accounts/{slug}/adjustments/{adjustment}": "billing.finance",
    "accounts/{slug}/open-holds": "billing.books",
    "accounts/{slug}/flagged-reports": "billing.books",
    "invoicing": "billing.books",
    "gates": "admission.view",
    "groups": "dispatch.view",
    "people": "access.people_view",
    "tokens": "access.tokens_view",
    "audit-log": "access.history_view",
    "incidents": "operations.incidents",
    "alert-recipients": "operations.incidents",
    "webhooks": "operations.webhooks",
    "webhook-events": "operations.webhooks",
    "jobs": "jobs.view",
    "profile": "access.profile",
    "saved-views": "access.profile",
}
# Writes, by path: every action in the row is needed.
WRITERS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (
            *("accounts/{slug}/open", "accounts/{slug}/freeze", "accounts/{slug}/unfreeze"),
            *("accounts/{slug}/close", "accounts/{slug}/rebuild", "accounts/{slug}/tariffs"),
            "accounts/{slug}/credit-limit",
            *("accounts/{slug}/promotions", "accounts/{slug}/promotions/{promotion}/revoke"),
            *("accounts/{slug}/tariff-previews", "accounts/{slug}/tariffs/{tariff}"),
            *("accounts/{slug}/tariffs/{tariff}/end", "accounts/{slug}/adjustments"),
            *(f"accounts/{{slug}}/adjustments/{{adjustment}}/{verb}" for verb in _DECIDED),
            *(f"accounts/{{slug}}/refunds/{{refund}}/{verb}" for verb in ("accept", "decline")),
            *(f"accounts/{{slug}}/flagged-reports/{{report}}/{do}" for do in ("accept", "charge")),
            *("accounts/{slug}/invoices", "accounts/{slug}/invoices/{invoice}/credit"),
            *(f"accounts/{{slug}}/invoices/{{invoice}}/credit/{do}" for do in _DECIDED[:2]),
            *("invoicing/seller", "invoicing/tax-rates", "invoicing/tax-rates/{rate}/end"),
        ),
        ("billing.finance",),
    ),
    **dict.fromkeys(
        (
            *("accounts/{slug}/settings", "accounts/{slug}/payment-method/remove"),
            *("accounts/{slug}/top-ups", "accounts/{slug}/top-ups/{top_up}/cancel"),
            *("accounts/{slug}/refunds", "accounts/{slug}/refunds/{refund}/withdraw"),
            "accounts/{slug}/tax-profile",
            *("accounts/{slug}/alert-recipients", "accounts/{slug}/alert-recipients/{recipient}"),
        ),
        ("billing.pay",),
    ),
    "accounts/{slug}/campaigns/{campaign}/await-top-up": ("billing.send", "billing.pay"),
    **dict.fromkeys(
        (
            *("accounts/{slug}/campaigns", "accounts/{slug}/campaigns/{campaign}"),
            *(f"accounts/{{slug}}/campaigns/{{campaign}}/{verb}" for verb in _STEPS),
            *("accounts/{slug}/chatbots", "accounts/{slug}/chatbots/{chatbot}"),
            *(f"accounts/{{slug}}/chatbots/{{chatbot}}/{verb}" for verb in (*_SHELF, "token")),
            *("accounts/{slug}/templates", "accounts/{slug}/templates/{template}"),
            *(f"accounts/{{slug}}/templates/{{template}}/{verb}" for verb in _SHELF),
            *("accounts/{slug}/opt-outs", "accounts/{slug}/opt-outs/{opt_out}/remove"),
        ),
        ("billing.send",),
    ),
    "people/accounts": ("access.accounts_change",),
    "people/accounts/{slug}": ("access.accounts_change",),
    "people/accounts/{slug}/members/{user}": ("access.people_change",),
    "people/accounts/{slug}/members/{user}/remove": ("access.people_change",),
    "people/accounts/{slug}/invitations": ("access.people_change",),
    "people/accounts/{slug}/invitations/{invitation}/withdraw": ("access.people_change",),
    "people/operators/{user}": ("access.operators_change",),
    "people/operator-invitations": ("access.operators_change",),
    "people/operator-invitations/{invitation}/withdraw": ("access.operators_change",),
    "people/finance-requests/{finance_request}/approve": ("access.finance_decide",),
    "people/finance-requests/{finance_request}/reject": ("access.finance_decide",),
    "people/users/{user}/deactivate": ("access.operators_change",),
    "people/users/{user}/activate": ("access.operators_change",),
    "people/users/{user}/reset-factor": ("access.operators_change",),
    "tokens": ("access.tokens_change",),
    "tokens/{token}/revoke": ("access.tokens_change",),
    "audit-log/{entry}/undo": ("access.history_view",),
    **dict.fromkeys(
        (
            "webhooks",
            "webhooks/{slug}",
            "webhooks/{slug}/rotate",
            "webhooks/{slug}/disable",
            "webhooks/{slug}/enable",
            "webhooks/{slug}/test",
            "webhooks/{slug}/resend",
            "webhooks/{slug}/deliveries/{delivery}/resend",
        ),
        ("operations.webhooks_change",),
    ),
    "alert-recipients": ("operations.targets_change",),
    "alert-recipients/{recipient}": ("operations.targets_change",),
    **dict.fromkeys(("profile", "saved-views", "saved-views/{view}"), ("access.profile",)),
    "jobs/{job}/cancel": ("jobs.cancel",),
    "incidents/{incident}/acknowledge": ("operations.acknowledge",),
    "incidents/{incident}/assign": ("operations.acknowledge",),
    "incidents/{incident}/snooze": ("operations.acknowledge",),
    "incidents/{incident}/end-snooze": ("operations.acknowledge",),
    "incidents/{incident}/notes": ("operations.acknowledge",),
    "incidents/{incident}/resolve": ("operations.resolve",),
    "numbers/twins/merge": ("numbers.operate",),
    "numbers/twins/{number}/merge": ("numbers.operate",),
    "numbers/twins/{number}/remove": ("numbers.operate",),
    "pools": ("numbers.create",),
    "pools/{slug}": ("numbers.operate",),
    "pools/{slug}/pause": ("numbers.operate",),
    "pools/{slug}/resume": ("numbers.operate",),
    "pools/{slug}/open": ("numbers.operate",),
    "pools/{slug}/reconcile": ("numbers.operate",),
    "pools/{slug}/numbers": ("numbers.operate",),
    "pools/{slug}/number-ranges": ("numbers.operate",),
    "pools/{slug}/number-changes": ("numbers.operate",),
    "pools/{slug}/numbers/{number}": ("numbers.operate",),
    "pools/{slug}/numbers/{number}/quarantine": ("numbers.operate",),
    "pools/{slug}/numbers/{number}/release": ("numbers.operate",),
    "pools/{slug}/numbers/{number}/hangup": ("numbers.operate",),
    "pools/{slug}/imports": ("numbers.operate",),
    "pools/{slug}/imports/{import_id}/confirm": ("numbers.operate",),
    "pools/{slug}/imports/{import_id}/undo": ("numbers.operate",),
    "pools/{slug}/imports/{import_id}/discard": ("numbers.operate",),
    "pools/{slug}/health/rules": ("numbers.operate",),
    "pools/{slug}/health/rules/{rule_id}": ("numbers.operate",),
    "pools/{slug}/health/actions/{action_id}/undo": ("numbers.operate",),
    "pools/{slug}/spam-labels": ("numbers.view", "numbers.label"),
    "pools/{slug}/switches": ("numbers.operate",),
    "pools/{slug}/switches/{name}": ("numbers.operate",),
    "gates": ("admission.create",),
    "gates/{slug}": ("admission.view", "admission.operate"),
    "gates/{slug}/resize": ("admission.view", "admission.operate"),
    "gates/{slug}/pin": ("admission.view", "admission.operate"),
    "gates/{slug}/unpin": ("admission.view", "admission.operate"),
    "gates/{slug}/pause": ("admission.view", "admission.operate"),
    "gates/{slug}/resume": ("admission.view", "admission.operate"),
    "gates/{slug}/open": ("admission.view", "admission.operate"),
    "gates/{slug}/holders/{holder}/free": ("admission.view", "admission.operate"),
    "gates/{slug}/key/{do}": ("admission.view", "admission.operate"),
    "gates/{slug}/batches": ("admission.view", "admission.batch"),
    "gates/{slug}/batches/{batch}/{what}": ("admission.view", "admission.batch"),
    "groups": ("dispatch.create",),
    "groups/{slug}/front-ends/{peer_id}/count": ("dispatch.link",),
    "groups/{slug}": ("dispatch.configure",),
    "groups/{slug}/instances/{name}": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/instances/{name}/manual": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/instances/{name}/backup": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/instances/{name}/uneject": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/peers/{peer}/disconnect": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/sessions/end": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/upgrades": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/upgrades/{upgrade}/force": ("dispatch.view", "dispatch.operate"),
    "groups/{slug}/upgrades/{upgrade}/abort": ("dispatch.view", "dispatch.operate"),
}
ACCEPTED: Final = {
    ("nobody",): _("No token needed."),
    ("login",): _("Requires a login. API tokens aren't accepted."),
    ("token",): _("Requires an API token. A login isn't accepted."),
    ("token", "login"): _("Requires an API token or a login."),
    ("visit", "token"): _("Requires the visit's token or an API token."),
    ("visit", "token", "login"): _("Requires the visit's token, an API token or a login."),
}


@dataclass(frozen=True)
class Access:
    """The credentials that an operation accepts. labels: the permissions that a token needs."""

    accepts: tuple[str, ...]
    labels: tuple[Any, ...] = ()
    any_fits: bool = False

    @property
    def words(self) -> Any:
        """A sentence."""
        return ACCEPTED[self.accepts]

    @property
    def public(self) -> bool:
        """Whether a request needs no credential."""
        return self.accepts == ("nobody",)


Accesses = Callable[[str, str], Access]  # of a method and a path


def accesses_of(api: NinjaAPI) -> Accesses:
    """Return a function that uses the classes that authenticate requests, and the table."""
    told = dict(_told(api))
    return lambda method, path: _access(method, path.removeprefix(ROOT), told)


def _told(api: NinjaAPI) -> Iterator[tuple[tuple[str, str], CredentialDescription]]:
    """Yield the descriptions of the operations' own classes, by operation."""
    for prefix, router in api._routers:  # noqa: SLF001  ninja has no public way
        for path, view in router.path_operations.items():
            for operation in view.operations:
                own = next(iter(operation.auth_callbacks), router.auth)
                whole = f"{prefix.strip('/')}/{path.strip('/')}".strip("/")
                if isinstance(own, CredentialAuth):
                    yield from (((way, whole), own.told(way)) for way in operation.methods)


def _access(method: str, path: str, told: dict[tuple[str, str], CredentialDescription]) -> Access:
    if method == "POST" and path in MACHINES:
        needed = MACHINES[path]
        return Access(("token",), _labels((needed,) if needed else ()))
    found = told.get((method, path))
    accepts = found.accepts if found else ("token", "login")
    if found and found.rights:
        return Access(accepts, _labels(found.rights), any_fits=True)
    if accepts == ("nobody",):
        return Access(accepts)
    first = READERS.get(path) or READERS.get(path.partition("/")[0])
    needed_all = ((first,) if first else ()) if method == "GET" else WRITERS.get(path, ())
    known = actions()
    if any(not known[action].tokens for action in needed_all):
        return Access(("login",))
    return Access(accepts, _labels(needed_all))


def _labels(needed: tuple[str, ...]) -> tuple[Any, ...]:
    known = rights()
    return tuple(known[action].label for action in needed if action in known)
