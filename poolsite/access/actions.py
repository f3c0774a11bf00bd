"""Decides whether a principal may do an action to an object.

Apps register their actions in `AppConfig.ready()`. `decide` does no I/O, so sockets and the hot
lane can call it as well. docs/reference/access.md explains the decisions.
"""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from operator import attrgetter

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404

from poolsite.access.principal import (
    EVERYTHING,
    Principal,
    TokenScope,
    VisitorScope,
    covers,
    ref_of,
)


class Decision(Enum):
    """A decision: its name, its HTTP status and its websocket close code."""

    ALLOW = ("allow", 200, 1000)
    LOGIN = ("login", 401, 4401)
    FORBIDDEN = ("forbidden", 403, 4403)
    FACTOR = ("factor", 403, 4403)
    HIDDEN = ("hidden", 404, 4404)

    def __init__(self, word: str, http_status: int, socket_code: int) -> None:
        self.word = word
        self.http_status = http_status
        self.socket_code = socket_code

    @property
    def allowed(self) -> bool:
        """Whether the principal may do it."""
        return self is Decision.ALLOW

    @property
    def possible(self) -> bool:
        """Whether the principal may do it now, or after proving a second factor."""
        return self in (Decision.ALLOW, Decision.FACTOR)

    def __bool__(self) -> bool:
        return self.allowed


class AccessRefused(Exception):  # noqa: N818  the four refusals read as what they state
    """Raised by `require`; `decision` states which refusal it is."""

    decision = Decision.FORBIDDEN


class LoginNeeded(AccessRefused):
    """No one is logged in: the log-in page for a browser, 401 for the API."""

    decision = Decision.LOGIN


class Forbidden(AccessRefused, PermissionDenied):
    """The object is of the principal's own account, but the role is missing: 403."""


class FactorNeeded(Forbidden):
    """Allowed once the person has proved a second factor again: 403 or the confirm page."""

    decision = Decision.FACTOR


class Hidden(AccessRefused, Http404):
    """An object of another account, which looks like a missing one: 404."""

    decision = Decision.HIDDEN


@dataclass(frozen=True, slots=True)
class Action:
    """An action and who may do it: see `register_action`."""

    name: str
    roles: frozenset[str]
    grants: frozenset[str]
    operators: bool
    tokens: bool
    visitors: bool
    members: bool
    fresh_factor: bool
    everywhere: bool


_ACTIONS: dict[str, Action] = {}
# An object's account. AttributeError if it has none: a bug must never allow.
_tenant: Callable[[object], int | None] = attrgetter("account_id")


def register_action(
    name: str,
    *,
    roles: Iterable[str] = (),
    grants: Iterable[str] = (),
    operators: bool = False,
    tokens: bool = False,
    visitors: bool = False,
    members: bool = False,
    fresh_factor: bool = False,
    everywhere: bool = False,
) -> Action:
    """Declare an action, `app.verb`, and who may do it.

    roles: members of the object's account with one of these roles.
    grants: operators with one of these grants; members and operators with one of them for this
        specific object.
    operators: every operator, whatever the grants (for reading).
    tokens / visitors: API tokens whose scope covers the object / the visitor of that desk.
    members: every logged-in user, in any role (own profile); for an object, the person who made
        it, while they belong to its account.
    fresh_factor: in addition, the person must have proved a second factor recently (money).
    everywhere: the action is about the whole platform (to create an object, to change
        operators), so it is decided without an object; a grant for one object does not allow it.

    Raise ValueError if the name is already registered with other rules.
    """
    action = Action(
        name,
        frozenset(map(str, roles)),
        frozenset(map(str, grants)),
        operators,
        tokens,
        visitors,
        members,
        fresh_factor,
        everywhere,
    )
    if _ACTIONS.get(name, action) != action:
        raise ValueError(f"action {name} is already registered with other rules")
    _ACTIONS[name] = action
    return action


def actions() -> dict[str, Action]:
    """Return a copy of all registered actions by name."""
    return dict(_ACTIONS)


def action_of(name: str) -> Action:
    try:
        return _ACTIONS[name]
    except KeyError:
        raise LookupError(f"no action {name!r} is registered") from None


def decide(principal: Principal, action: str, thing: object | None = None) -> Decision:
    """Decide from the two values alone, without I/O.

    `thing` has its account in `account_id`. Without a thing, decide whether the principal may do
    this to any object. Raise LookupError if no app registered the action.
    """
    rule = action_of(action)
    if not principal.is_authenticated:
        return Decision.LOGIN
    answer = _ANSWERS[principal.kind](principal, rule, thing)
    if rule.fresh_factor and answer and principal.kind == "user" and not factor_is_fresh(principal):
        return Decision.FACTOR
    return answer


def decide_found(principal: Principal, action: str, thing: object | None) -> Decision:
    """Decide like `decide`, for an object that may not exist.

    None gives the same decision as an object of another account.
    """
    if thing is None:
        return Decision.HIDDEN if principal.is_authenticated else Decision.LOGIN
    return decide(principal, action, thing)


def factor_is_fresh(principal: Principal) -> bool:
    """Whether the person proved a second factor recently, or the settings need none.

    Recently means within SECOND_FACTOR_FRESH_SECONDS.
    """
    if not settings.SECOND_FACTOR_FOR_MONEY:
        return True
    if principal.factor_at is None or not principal.has_factor:
        return False
    age_seconds = time.time() - principal.factor_at
    fresh_seconds: int = settings.SECOND_FACTOR_FRESH_SECONDS
    return age_seconds < fresh_seconds


def _user(principal: Principal, rule: Action, thing: object | None) -> Decision:
    if rule.members and (thing is None or _is_own(principal, thing)):
        return Decision.ALLOW
    if principal.is_operator:
        return _operator(principal, rule, thing)
    if thing is None:
        return Decision.ALLOW if _suits_somewhere(principal, rule) else Decision.FORBIDDEN
    roles = principal.roles_in(_tenant(thing))
    if not roles:
        return Decision.HIDDEN
    if rule.roles & roles or _granted(principal, rule, thing):
        return Decision.ALLOW
    return Decision.FORBIDDEN


def _is_own(principal: Principal, thing: object) -> bool:
    """Whether the person made the object, and still belongs to its account or is an operator."""
    if getattr(thing, "user_id", None) != principal.user_id:
        return False
    return principal.is_operator or bool(principal.roles_in(_tenant(thing)))


def _operator(principal: Principal, rule: Action, thing: object | None) -> Decision:
    if rule.operators or rule.grants & principal.grants:
        return Decision.ALLOW
    if thing is None:
        return Decision.ALLOW if _suits_somewhere(principal, rule) else Decision.FORBIDDEN
    if _granted(principal, rule, thing) or rule.roles & principal.roles_in(_tenant(thing)):
        return Decision.ALLOW
    return Decision.FORBIDDEN


def _suits_somewhere(principal: Principal, rule: Action) -> bool:
    """Whether there may be an object to which the person may do it."""
    if rule.everywhere:
        return False
    by_role = any(rule.roles & roles for roles in principal.memberships.values())
    return by_role or any(name in rule.grants for name, _, _ in principal.thing_grants)


def _granted(principal: Principal, rule: Action, thing: object) -> bool:
    """Whether a grant for this specific object, or for all objects of its kind, allows it."""
    if not principal.thing_grants or not rule.grants:
        return False
    tenant = _tenant(thing)
    named = frozenset(
        ref
        for name, ref, account_id in principal.thing_grants
        if name in rule.grants and account_id in (None, tenant)
    )
    return covers(named, ref_of(thing))


def _token(principal: Principal, rule: Action, thing: object | None) -> Decision:
    scope = principal.scope
    if not isinstance(scope, TokenScope):
        return Decision.FORBIDDEN
    open_to_it = rule.tokens and (EVERYTHING in scope.actions or rule.name in scope.actions)
    if thing is not None:
        if scope.account_id is not None and _tenant(thing) != scope.account_id:
            return Decision.HIDDEN
        open_to_it = open_to_it and covers(scope.resources, ref_of(thing))
    return Decision.ALLOW if open_to_it else Decision.FORBIDDEN


def _visitor(principal: Principal, rule: Action, thing: object | None) -> Decision:
    scope = principal.scope
    if not isinstance(scope, VisitorScope):
        return Decision.FORBIDDEN
    if thing is not None and ref_of(thing) not in (f"desk:{scope.desk}", f"visit:{scope.visit}"):
        return Decision.HIDDEN
    return Decision.ALLOW if rule.visitors else Decision.FORBIDDEN


_ANSWERS = {"user": _user, "token": _token, "visitor": _visitor}


_REFUSALS: dict[Decision, type[AccessRefused]] = {
    Decision.LOGIN: LoginNeeded,
    Decision.FORBIDDEN: Forbidden,
    Decision.FACTOR: FactorNeeded,
    Decision.HIDDEN: Hidden,
}


def require(principal: Principal, action: str, thing: object | None = None) -> None:
    """Return if the action is allowed, else raise LoginNeeded, Forbidden, FactorNeeded or Hidden.

    The middleware turns these into the log-in page, 401, 403, the confirm page and 404.
    """
    enforce(decide(principal, action, thing), action)


def enforce(decision: Decision, action: str) -> None:
    """Return if the decision allows, else raise its refusal, like `require`."""
    if not decision:
        raise _REFUSALS[decision](action)


def require_fresh_factor(principal: Principal) -> None:
    """Raise FactorNeeded unless a second factor was proved recently or the settings need none."""
    if principal.kind == "user" and not factor_is_fresh(principal):
        raise FactorNeeded("fresh factor")
