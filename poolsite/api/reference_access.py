"""What each operation accepts as a credential, and which permissions a token needs for it.

The classes that let requests in say it for theirs (`CredentialAuth.told`). The table is about the
operations that ask inside: it names what their code requires, and leaves out what is undecided.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from ninja import NinjaAPI

from poolsite.access.actions import actions
from poolsite.access.token_areas import rights
from poolsite.api.credentials import CredentialAuth, Told

ROOT: Final = "/api/v1/"
# The hot lane takes no cookie: path (of a POST) → the permission it asks for, "" if it depends.
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
# What reads is the same for all of a first path segment.
READERS: Final = {
    "pools": "numbers.view",
    "numbers": "numbers.view",
    "accounts": "billing.view",
    "gates": "admission.view",
    "groups": "dispatch.view",
}
# What writes, by path: every action in the row is needed.
WRITERS: Final[dict[str, tuple[str, ...]]] = {
    "pools/{slug}/spam-labels": ("numbers.view", "numbers.label"),
    "pools/{slug}/switches": ("numbers.operate",),
    "pools/{slug}/switches/{name}": ("numbers.operate",),
    "gates/{slug}/key/{do}": ("admission.view", "admission.operate"),
    "gates/{slug}/batches": ("admission.view", "admission.batch"),
    "gates/{slug}/batches/{batch}/{what}": ("admission.view", "admission.batch"),
    "groups": ("dispatch.create",),
    "groups/{slug}/front-ends/{peer_id}/count": ("dispatch.link",),
    "groups/{slug}/instances/{name}/manual": ("dispatch.view", "dispatch.operate"),
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
    """What an operation accepts, in words; labels: the permissions that an API token needs."""

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
    """Looks up the classes that let requests in, and the table."""
    told = dict(_told(api))
    return lambda method, path: _access(method, path.removeprefix(ROOT), told)


def _told(api: NinjaAPI) -> Iterator[tuple[tuple[str, str], Told]]:
    """What the operations' own classes say, by operation."""
    for prefix, router in api._routers:  # noqa: SLF001  ninja has no public way
        for path, view in router.path_operations.items():
            for operation in view.operations:
                own = next(iter(operation.auth_callbacks), router.auth)
                whole = f"{prefix.strip('/')}/{path.strip('/')}".strip("/")
                if isinstance(own, CredentialAuth):
                    yield from (((way, whole), own.told(way)) for way in operation.methods)


def _access(method: str, path: str, told: dict[tuple[str, str], Told]) -> Access:
    if method == "POST" and path in MACHINES:
        needed = MACHINES[path]
        return Access(("token",), _labels((needed,) if needed else ()))
    found = told.get((method, path))
    accepts = found.accepts if found else ("token", "login")
    if found and found.rights:
        return Access(accepts, _labels(found.rights), any_fits=True)
    if accepts == ("nobody",):
        return Access(accepts)
    first = READERS.get(path.partition("/")[0])
    needed_all = ((first,) if first else ()) if method == "GET" else WRITERS.get(path, ())
    known = actions()
    if any(not known[action].tokens for action in needed_all):
        return Access(("login",))
    return Access(accepts, _labels(needed_all))


def _labels(needed: tuple[str, ...]) -> tuple[Any, ...]:
    known = rights()
    return tuple(known[action].label for action in needed if action in known)
