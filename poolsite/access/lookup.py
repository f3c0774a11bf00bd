"""Looks up the principal of a credential in SQL. Synchronous; `rights` is the cache in front."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.utils import timezone
from django.utils.crypto import constant_time_compare

from poolsite.access.networks import allows
from poolsite.access.principal import ANONYMOUS, Principal, TokenScope, VisitorScope
from poolsite.access.tokens import VISITOR_PREFIX, hash_of, read_visitor

if TYPE_CHECKING:
    from poolsite.access.models import ApiToken, User

SESSION_STARTED = "access_started"
SESSION_METHODS = "account_authentication_methods"  # allauth's: the proofs in the session
SESSION_METHODS_USER = "account_authentication_methods_user"
SESSION, TOKEN, VISITOR, USER = "session:", "token:", "visitor:", "user:"
LAST_USED_SECONDS = 60  # how often, at most, a token's last use is written


def of_user(
    user: "User",
    *,
    expires_at: float | None = None,
    factor_at: float | None = None,
    credential: str = "",
    version: int = 0,
) -> Principal:
    """Return the principal of a user with the current rights in SQL; ANONYMOUS if inactive."""
    from poolsite.access.factor_state import has_factor

    if not user.is_active:
        return ANONYMOUS
    memberships: defaultdict[int, set[str]] = defaultdict(set)
    for account_id, role in user.memberships.values_list("account_id", "role"):
        memberships[account_id].add(role)
    grants: set[tuple[str, str, int | None]] = set(
        user.grants.values_list("name", "thing", "account_id")
    )
    if user.is_superuser:
        grants |= {(name, "", None) for name in ("operate", "finance", "supervise")}
    everywhere = frozenset(name for name, thing, _account in grants if not thing)
    return Principal(
        kind="user",
        id=str(user.pk),
        name=user.display_name,
        is_operator=user.is_operator or user.is_superuser or bool(everywhere),
        grants=everywhere,
        thing_grants=frozenset(each for each in grants if each[1]),
        memberships={key: frozenset(roles) for key, roles in memberships.items()},
        rights_version=version,
        expires_at=expires_at,
        factor_at=factor_at,
        has_factor=has_factor(user),
        credential=credential or f"{USER}{user.pk}",
        zone=user.zone,
        locale=user.locale,
    )


def of_session(session_key: str, version: int = 0) -> Principal:
    """Return the principal of a session's key; ANONYMOUS if it ended or never existed.

    This only reads: Django's own `get_user` may delete the session or change its key, and a socket
    could not report that to its browser.
    """
    from django.contrib.sessions.models import Session

    from poolsite.access.models import User

    row = Session.objects.filter(session_key=session_key, expire_date__gt=timezone.now()).first()
    if row is None:
        return ANONYMOUS
    data = row.get_decoded()
    user = User.objects.filter(pk=data.get(SESSION_KEY) or 0).first()
    if user is None or not _carries_hash(user, data.get(HASH_SESSION_KEY, "")):
        return ANONYMOUS
    return of_session_data(
        user, data, session_key, idle_end=row.expire_date.timestamp(), version=version
    )


def _carries_hash(user: "User", given: str) -> bool:
    valid = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    return any(constant_time_compare(given, each) for each in valid)


def of_session_data(
    user: "User", data: Mapping[str, Any], session_key: str, *, idle_end: float, version: int = 0
) -> Principal:
    """Return the principal of a user whose session was already read and verified.

    It expires at the idle limit or the absolute one, whichever comes first.
    """
    started = data.get(SESSION_STARTED)
    if started is None:
        return ANONYMOUS
    return of_user(
        user,
        expires_at=min(float(started) + settings.SESSION_ABSOLUTE_SECONDS, idle_end),
        factor_at=factor_at(user, data),
        credential=f"{SESSION}{session_key}",
        version=version,
    )


def factor_at(user: "User", data: Mapping[str, Any]) -> float | None:
    """Return when this user last proved a second factor in the session with this data, or None."""
    if data.get(SESSION_METHODS_USER) != str(user.pk):
        return None
    proofs = [each for each in data.get(SESSION_METHODS, ()) if each.get("method") == "mfa"]
    return max((float(each["at"]) for each in proofs), default=None)


def credential_of_bearer(plain: str) -> str:
    """Return the credential, the cache's key, of an `Authorization: Bearer` secret."""
    if plain.startswith(VISITOR_PREFIX):
        return VISITOR + plain
    return TOKEN + hash_of(plain)


def of_credential(credential: str, *, address: str = "", version: int = 0) -> Principal:
    """Return the principal of a credential as SQL has it now; ANONYMOUS unless it is live."""
    from poolsite.access.models import User

    kind, _, value = credential.partition(":")
    if kind == "session":
        return of_session(value, version)
    if kind == "token":
        return of_token_hash(value, address, version)
    if kind == "visitor":
        return of_visitor(value, version)
    user = User.objects.filter(pk=value).first() if kind == "user" else None
    return ANONYMOUS if user is None else of_user(user, version=version)


def of_token_hash(secret_hash: str, address: str = "", version: int = 0) -> Principal:
    """Return the principal of an API token; ANONYMOUS if it is unknown, expired or revoked.

    The answer is the same from every address, because it is cached for all of them: `principals`
    checks the token's networks.
    """
    from poolsite.access.models import ApiToken

    token = ApiToken.objects.filter(secret_hash=secret_hash).first()
    if token is None or not token.is_live:
        return ANONYMOUS
    if allows(tuple(token.networks), address):
        _note_use(token, address)
    return Principal(
        kind="token",
        id=str(token.pk),
        name=token.name,
        scope=TokenScope(
            account_id=token.account_id,
            resources=frozenset(token.resources),
            actions=frozenset(token.actions),
            events=frozenset(token.events),
            switch=token.switch,
            networks=tuple(token.networks),
        ),
        rights_version=version,
        expires_at=token.expires_at.timestamp(),
        credential=TOKEN + secret_hash,
    )


def _note_use(token: "ApiToken", address: str) -> None:
    """Write the last use, at most once a minute: a busy switch must not write per call."""
    now = timezone.now()
    if token.last_used_at and now - token.last_used_at < timedelta(seconds=LAST_USED_SECONDS):
        return
    used = {"last_used_at": now, "last_used_address": address[:64]}
    type(token).objects.filter(pk=token.pk).update(**used)  # unaudited: a use, not a change


def visit_of(credential: str) -> str:
    """Return the visit that a visitor's credential is bound to; "" for a forged one."""
    claims = read_visitor(credential.removeprefix(VISITOR))
    return claims.visit if claims is not None else ""


def of_visitor(plain: str, ended_version: int = 0) -> Principal:
    """Return the principal of a visitor's token; ANONYMOUS if it is forged or expired.

    `ended_version` is the version in Redis for this visit. If it is higher than the token's own,
    the visit has ended, and the principal is ANONYMOUS.
    """
    claims = read_visitor(plain)
    if claims is None or ended_version > claims.version:
        return ANONYMOUS
    principal = Principal(
        kind="visitor",
        id=claims.visit,
        name="visitor",
        scope=VisitorScope(claims.desk, claims.visit, claims.account_id),
        rights_version=ended_version,
        expires_at=claims.expires_at,
        credential=VISITOR + plain,
    )
    return ANONYMOUS if principal.is_expired else principal
