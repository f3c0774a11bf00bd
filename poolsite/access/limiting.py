"""Rate limits of tokens, accounts, people, and addresses without a credential.

A request with a live credential counts for its token, person or visitor, and for the account of a
token or visitor. Every other request counts for its address. A token that is not live counts for
its address a second time, under a stricter limit.
"""

import asyncio
import hashlib
import math
from collections.abc import Callable, Hashable, MutableMapping
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Any

from django.conf import settings
from django.db import Error as DatabaseError
from prometheus_client import Counter
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.access import lookup
from poolsite.access.addresses import client_address_of_scope
from poolsite.access.headers import header
from poolsite.access.principal import ANONYMOUS, Principal
from poolsite.access.principals import (
    CREDENTIAL,
    LONGEST_SECRET,
    PRINCIPAL,
    credential_of_scope,
    is_at,
    is_inside,
)
from poolsite.access.rights.cache import CACHE, principal_of_credential
from poolsite.access.rights.sharing import LookUps, shared
from poolsite.limits.buckets import SECOND_US, Limit, LimitedClient, per_second
from poolsite.limits.shares import shares, take_now
from poolsite.per_loop import PerLoop

BURST_SECONDS = 2  # of tokens and accounts: twice the permits of a second may come at once
PEOPLE_BURST_SECONDS = 10  # a page sends many requests at once, then none
BAD_TOKENS_PERIOD_US = 60 * SECOND_US
IPV6_PREFIX = 64  # one household or server has at least this many addresses

REFUSED = Counter(
    "poolsite_rate_limited",
    "Requests and sockets refused by a rate limit of this process, by what was counted.",
    ["kind"],
)
for _kind in ("token", "user", "visitor", "address", "bad-token"):
    REFUSED.labels(_kind)  # start at 0, so that the first refusal is an increase

MOST_SEEN = 20_000
LOOK_UP_SECONDS = 2.0  # if SQL hangs, the view waits for it, so the limiter need not

# Credentials that were live at their last look-up in this process. They grant nothing, but a client
# that was let in a moment ago is not locked out because another one at the same address guesses
# tokens.
_SEEN: dict[str, None] = {}
_running: PerLoop[LookUps] = PerLoop(dict)


class RateLimitedError(Exception):
    """Too many requests.

    `kind`: token, user, visitor, address or bad-token; `seconds`: how long to wait.
    """

    def __init__(self, kind: str, seconds: float) -> None:
        super().__init__(kind)
        self.kind = kind
        self.seconds = seconds

    @property
    def retry_after(self) -> int:
        """Whole seconds, rounded up, at least 1: the value of the Retry-After header."""
        return max(1, math.ceil(self.seconds))


class OutsideError(Exception):
    """The token may not be used from the client's address."""


def admit_at_once(scope: MutableMapping[str, Any]) -> bool:
    """Count a request of a cached principal with a spare permit; return False if `admit` must run.

    A request stores its principal in its `scope`, and the hot lane takes it from there before it
    waits for anything. A socket waits for its client first, so it looks up the principal again.
    """
    credential = scope[CREDENTIAL] = credential_of_scope(scope)
    principal = CACHE.get(credential) if credential else None
    if principal is None or not is_inside(principal, scope):
        return False
    if not shares().spare((principal.kind, principal.id)):
        return False
    if scope["type"] == "http":
        scope[PRINCIPAL] = principal
    return True


async def admit(scope: MutableMapping[str, Any]) -> None:
    """Count a request or a socket's handshake. Raise RateLimitedError or OutsideError.

    This reads no body. It stores the credential in `scope`, where `principal_of_scope` finds it. A
    credential that this process has cached usually costs no I/O; an unknown one is looked up only
    after its address was counted.
    """
    credential = credential_of_scope(scope)
    principal = CACHE.get(credential) if credential else None
    if principal is None:
        address = client_address_of_scope(scope)
        is_token = bool(header(scope, b"authorization"))
        try:
            async with asyncio.timeout(LOOK_UP_SECONDS):
                principal = await _counted(credential, address, is_token=is_token)
        except (RedisError, OSError, DatabaseError, hotpath.HotPathError):
            return  # rights cannot be read: the code that answers meets and reports the same error
    if not is_inside(principal, scope):
        await _take("address", client_address_of_scope(scope), _of_address)  # never the token's
        raise OutsideError
    if principal.is_authenticated:
        await take_for(principal)


async def principal_of_first_frame(secret: str, address: str) -> Principal:
    """Return the principal of a token in a socket's first frame. Bad tokens are counted.

    Raise RateLimitedError after too many bad tokens. The address was counted at the handshake.
    """
    _refuse_guessing(address)
    principal = ANONYMOUS
    if 0 < len(secret) <= LONGEST_SECRET:
        credential = lookup.credential_of_bearer(secret)
        principal = await principal_of_credential(credential, address)
        principal = principal if is_at(principal, address) else ANONYMOUS
    if not principal.is_authenticated:
        await count_bad_token(address)
    return principal


async def count_bad_token(address: str) -> None:
    """Count a token that was not live. Raise RateLimitedError if there were too many."""
    await _take("bad-token", address, _bad_tokens)


async def take_for(principal: Principal) -> None:
    """Count one request of an authenticated principal. Raise RateLimitedError."""
    await _take(principal.kind, principal.id, lambda _identity: client_of(principal))


def client_of(principal: Principal) -> LimitedClient:
    """Return the buckets that a principal's requests count for; one account's are in one slot."""
    kind = principal.kind
    own, burst_seconds = settings.RATE_PER_USER, PEOPLE_BURST_SECONDS
    if kind == "token":
        own, burst_seconds = settings.RATE_PER_TOKEN, BURST_SECONDS
    found = [per_second(f"{kind}:{principal.id}", own, burst_seconds)]
    account_id = principal.scope.account_id if principal.scope is not None else None
    if account_id is None:
        return _client(f"{{rate.{kind}.{principal.id}}}", *found)
    account = per_second("account", settings.RATE_PER_ACCOUNT, BURST_SECONDS)
    return _client(f"{{rate.account.{account_id}}}", *found, account)


def network_of(address: str) -> str:
    """Return what an address counts as: IPv6 as its /64, IPv4-mapped IPv6 as IPv4."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Network((parsed, IPV6_PREFIX), strict=False))


def reached_limit(name: str, who: str, permits: int, period_seconds: int) -> bool:
    """Count a try of something (`join`, `reset`) by `who`; return whether it is over the limit.

    The limit allows `permits` tries at once, which become free again over the period. Blocks.
    """
    limit = Limit("tries", permits, period_seconds * SECOND_US, permits)
    digest = hashlib.sha256(who.encode()).hexdigest()[:32]
    return take_now(_client(f"{{rate.{name}.{digest}}}", limit)) > 0


# -- unknown callers -----------------------------------------------------------------------------


async def _counted(credential: str, address: str, *, is_token: bool) -> Principal:
    """Return the principal of a credential that is not cached.

    The address is counted, unless this process has seen the credential before and it is still live.
    """
    seen = credential in _SEEN
    if is_token and not seen:
        _refuse_guessing(address)
    if not credential:
        principal, is_counted = ANONYMOUS, False
    elif seen:
        principal, is_counted = await principal_of_credential(credential, address), False
    else:
        # One look-up and one count for all requests with the same credential at the same time.
        is_counted = credential not in _running()
        principal = await shared(_running(), credential, lambda: _look_up(credential, address))
    if principal.is_authenticated:
        _remember(credential)
        return principal
    _SEEN.pop(credential, None)
    if not is_counted:
        await _take("address", address, _of_address)
    if is_token:
        await count_bad_token(address)
    return principal


async def _look_up(credential: str, address: str) -> Principal:
    await _take("address", address, _of_address)
    return await principal_of_credential(credential, address)


def _remember(credential: str) -> None:
    _SEEN[credential] = None
    if len(_SEEN) > MOST_SEEN:
        _SEEN.pop(next(iter(_SEEN)), None)


def _refuse_guessing(address: str) -> None:
    """Refuse without a look-up while this process knows that the address is over the limit."""
    seconds = shares().refused_for(("bad-token", network_of(address)))
    if seconds > 0:
        raise _refused("bad-token", seconds)


def _of_address(network: str) -> LimitedClient:
    limit = per_second("requests", settings.RATE_PER_ADDRESS, PEOPLE_BURST_SECONDS)
    return _client(f"{{rate.address.{network}}}", limit)


def _bad_tokens(network: str) -> LimitedClient:
    permits = settings.BAD_TOKENS_PER_ADDRESS
    limit = Limit("bad-tokens", permits, BAD_TOKENS_PERIOD_US, permits)
    return _client(f"{{rate.address.{network}}}", limit)


def _client(tag: str, *given: Limit) -> LimitedClient:
    return LimitedClient(tag, tuple(limit for limit in given if limit.permits > 0))


async def _take(kind: str, identity: str, make: Callable[[str], LimitedClient]) -> None:
    if kind in ("address", "bad-token"):
        if not identity:
            return  # a Unix socket's peer that is no trusted proxy: clients can't be told apart
        identity = network_of(identity)
    key: Hashable = (kind, identity)
    counted = shares()
    if counted.spare(key):
        return
    client: LimitedClient = make(identity)
    if not client.limits:
        return
    seconds = await counted.take(key, client)
    if seconds > 0:
        raise _refused(kind, seconds)


def _refused(kind: str, seconds: float) -> RateLimitedError:
    REFUSED.labels(kind).inc()
    return RateLimitedError(kind, seconds)
