"""The caller: a user, a token, a visitor or no one. A value, so that decisions need no I/O."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["user", "token", "visitor", "anonymous"]

EVERYTHING = "*"


@dataclass(frozen=True, slots=True)
class Thing:
    """A stand-in for a row, for callers that must not use SQL: `Thing("pool", "east", 7)`."""

    kind: str
    slug: str
    account_id: int | None = None

    @property
    def access_ref(self) -> str:
        """The name in grants and tokens, for example `pool:east`."""
        return f"{self.kind}:{self.slug}"


def ref_of(thing: object) -> str:
    """Return an object's name in grants and tokens: its `access_ref`, else kind:slug, else "".

    The kind is the class's `access_kind`, else the model's name in lower case. A part of an object
    (a number of a pool) has the name of the whole in a property `access_ref`.
    """
    given = getattr(thing, "access_ref", None)
    if given is not None:
        return str(given)
    slug = getattr(thing, "slug", None)
    if slug is None:
        return ""
    kind = getattr(thing, "access_kind", None) or type(thing).__name__.lower()
    return f"{kind}:{slug}"


def covers(patterns: frozenset[str], ref: str) -> bool:
    """Whether one of `*`, `kind:*` and `kind:slug` in `patterns` covers this name."""
    if EVERYTHING in patterns or ref in patterns:
        return True
    kind, _, _ = ref.partition(":")
    return bool(kind) and f"{kind}:*" in patterns


@dataclass(frozen=True, slots=True)
class TokenScope:
    """What an API token is limited to; `*` in a set means all.

    A token without an account is the platform's. Without networks it may be used from anywhere.
    """

    account_id: int | None
    resources: frozenset[str]
    actions: frozenset[str]
    events: frozenset[str]
    switch: str = ""
    networks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class VisitorScope:
    """The one visit at one desk that a visitor's token is bound to."""

    desk: str
    visit: str
    account_id: int | None


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller, with everything that a decision needs. Times are Unix seconds.

    `memberships` maps an account's primary key to the roles there. `grants` holds names that count
    everywhere (`operate`), `thing_grants` triples (`supervise`, `desk:support`, account, or None
    for any account that the user belongs to). `expires_at` is when the credential expires,
    `factor_at` when the person last proved a second factor. `credential` is how this process looks
    the principal up again; it may contain a session's key, so it is never shown or logged.
    """

    kind: Kind
    id: str = ""
    name: str = ""
    is_operator: bool = False
    grants: frozenset[str] = frozenset()
    thing_grants: frozenset[tuple[str, str, int | None]] = frozenset()
    memberships: Mapping[int, frozenset[str]] = field(default_factory=dict)
    scope: TokenScope | VisitorScope | None = None
    rights_version: int = 0
    expires_at: float | None = None
    factor_at: float | None = None
    has_factor: bool = False
    credential: str = field(default="", repr=False)
    zone: str = ""
    locale: str = ""

    @property
    def is_authenticated(self) -> bool:
        """False without a credential, and for a credential that has expired."""
        return self.kind != "anonymous" and not self.is_expired

    @property
    def is_expired(self) -> bool:
        """Whether the credential has expired."""
        return self.expires_at is not None and self.expires_at <= time.time()

    @property
    def seconds_left(self) -> float | None:
        """Until the credential expires, at least 0; None if it never does."""
        return None if self.expires_at is None else max(0.0, self.expires_at - time.time())

    @property
    def user_id(self) -> int | None:
        """The primary key of the user; None for other principals."""
        return int(self.id) if self.kind == "user" else None

    @property
    def account_ids(self) -> frozenset[int]:
        """The accounts that this principal belongs to."""
        if self.kind == "user":
            return frozenset(self.memberships)
        own = self.scope.account_id if self.scope is not None else None
        return frozenset() if own is None else frozenset({own})

    def roles_in(self, account_id: int | None) -> frozenset[str]:
        """Return the roles in one account; none in another's account or on the platform."""
        if account_id is None:
            return frozenset()
        return self.memberships.get(account_id, frozenset())

    def may_send(self, event: str) -> bool:
        """Whether a token's list of events contains this one; always True for other principals."""
        if not isinstance(self.scope, TokenScope):
            return True
        return EVERYTHING in self.scope.events or event in self.scope.events

    def same_rights(self, other: "Principal") -> bool:
        """Whether `other` may do at least all that this principal may (no right was taken away)."""
        if self.kind != other.kind or self.id != other.id or self.scope != other.scope:
            return False
        if self.is_operator and not other.is_operator:
            return False
        if not (self.grants <= other.grants and self.thing_grants <= other.thing_grants):
            return False
        return all(roles <= other.roles_in(key) for key, roles in self.memberships.items())


ANONYMOUS = Principal(kind="anonymous")


def reach_of(principal: Principal) -> str:
    """Return a cache key that is the same for all principals who see the same accounts."""
    return "all" if principal.is_operator else ",".join(map(str, sorted(principal.account_ids)))
