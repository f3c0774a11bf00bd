"""The credentials of the line's API, checked before a body is read: visitors, agents, programs."""

from typing import Any, TypeVar

from django.http import HttpRequest

from poolsite import access
from poolsite.access import Decision, Principal, Thing
from poolsite.access.actions import actions
from poolsite.access.limiting import network_of, reached_limit
from poolsite.api.credentials import SAFE_METHODS, CredentialAuth, CredentialDescription
from poolsite.api.problems import kind_of_refusal
from poolsite.api.root import ProblemError
from queueing.line.models import Agent, Desk, Visit
from queueing.line.schemas import BODY_LIMIT_BYTES
from queueing.line.topics.scope import may_read, place_of

T = TypeVar("T")
COMES_PER_MINUTE = 60  # joins and left messages per network address


def check_size(request: HttpRequest, limit: int = BODY_LIMIT_BYTES) -> None:
    """Refuse a body whose declared size is over the limit, or that declares no size."""
    declared = request.META.get("CONTENT_LENGTH") or ""
    if not declared and "chunked" in request.META.get("HTTP_TRANSFER_ENCODING", "").lower():
        raise ProblemError("too-large", "Content-Length is required")
    if declared and (not declared.isdigit() or int(declared[:20]) > limit):
        raise ProblemError("too-large", f"larger than {limit} bytes")


class Known(CredentialAuth):
    """A valid token of any kind, or a session (with its CSRF token for a change)."""

    body_limit = BODY_LIMIT_BYTES

    def __call__(self, request: HttpRequest) -> Any:
        check_size(request, self.body_limit)
        return super().__call__(request)


class Anybody(Known):
    """A valid credential, or none at all."""

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        return CredentialDescription(("nobody",))

    def __call__(self, request: HttpRequest) -> Any:
        principal = access.principal_of_request(request)
        if not principal.is_authenticated and "Authorization" not in request.headers:
            check_size(request)
            return principal
        return super().__call__(request)


class Serving(Known):
    """An agent: by the person's own session, or by a token with `?agent=<user id>`."""

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        return CredentialDescription(("token", "login"), ("line.serve",))

    def __call__(self, request: HttpRequest) -> Any:
        principal = super().__call__(request)
        if principal is None:
            return None
        access.require(principal, "line.serve")
        agent = _agent(principal, request.GET.get("agent", ""))
        decision = access.decide(principal, "line.serve", agent.desk) if agent else None
        if agent is None or decision is Decision.HIDDEN:
            raise ProblemError("unknown-agent")
        access.require(principal, "line.serve", agent.desk)
        return agent


def _agent(principal: Principal, named: str) -> Agent | None:
    key = principal.id if principal.kind == "user" else named
    if not (key.isascii() and key.isdecimal() and len(key) < 10):
        return None
    rows = Agent.objects.select_related("desk", "desk__account").filter(archived_at=None)
    return rows.filter(user_id=int(key)).first()


class Visiting(Known):
    """The visit of the URL: for its visitor and for programs.

    Users who may read it get safe methods.
    """

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        if method in SAFE_METHODS:
            return CredentialDescription(
                ("visit", "token", "login"), ("line.visit", "line.serve", "line.view")
            )
        return CredentialDescription(("visit", "token"), ("line.visit",))

    def __call__(self, request: HttpRequest) -> Any:
        principal = super().__call__(request)
        match = request.resolver_match
        if principal is None or match is None:
            return None
        looks_only = request.method in SAFE_METHODS
        return visit_of(principal, str(match.kwargs["visit"]), looks_only=looks_only)


class AtDesks(Known):
    """Credentials with this right for desks in general. The operation checks the specific desk."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        return told_of(self.action)

    def __call__(self, request: HttpRequest) -> Any:
        principal = super().__call__(request)
        if principal is not None:
            access.require(principal, self.action)
        return principal


def told_of(action: str) -> CredentialDescription:
    """Return the credentials that an action needs. Only people set desks up: tokens cannot."""
    if not actions()[action].tokens:
        return CredentialDescription(("login",))
    return CredentialDescription(("token", "login"), (action,))


class AtDesk(Known):
    """The desk of the URL, for credentials with this right.

    Another account's desk looks missing.
    """

    def __init__(self, action: str) -> None:
        super().__init__()
        self.action = action

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        return told_of(self.action)

    def __call__(self, request: HttpRequest) -> Any:
        principal = super().__call__(request)
        match = request.resolver_match
        if principal is None or match is None:
            return None
        rows = Desk.objects.select_related("account")
        desk = rows.filter(slug=str(match.kwargs["slug"])).first()
        if desk is None:
            raise ProblemError("unknown-desk")
        decision = access.decide(principal, self.action, desk)
        if not decision:
            raise ProblemError(kind_of_refusal(decision, "unknown-desk"))
        return desk


class ReadingVisit(Known):
    """The visit of the URL, for users who may read it with the internal notes."""

    def told(self, method: str) -> CredentialDescription:
        """Return the description for the API reference."""
        return CredentialDescription(("token", "login"), ("line.view", "line.serve"))

    def __call__(self, request: HttpRequest) -> Any:
        principal = super().__call__(request)
        match = request.resolver_match
        if principal is None or match is None:
            return None
        rows = Visit.objects.select_related(
            *("desk__account", "queue", "agent", "rating", "outcome_code")
        )
        visit = rows.filter(
            desk__slug=str(match.kwargs["slug"]), public_id=str(match.kwargs["visit"])
        ).first()
        decision = may_read(principal, place_of(visit) if visit is not None else None, notes=True)
        if visit is None or not decision:
            raise ProblemError(kind_of_refusal(decision, "unknown-visit"))
        return visit


def let_in(request: HttpRequest, kind: type[T]) -> T:
    """Return what the operation's credential found: an agent, a visit or a desk."""
    found = getattr(request, "auth", None)
    if not isinstance(found, kind):
        raise TypeError(f"the operation's credential finds no {kind.__name__}")
    return found


def desk_of_request(request: HttpRequest) -> Desk:
    """Return the desk to which AtDesk admitted the request."""
    return let_in(request, Desk)


def visit_of(principal: Principal, public_id: str, *, looks_only: bool = False) -> Visit:
    """Return the visit, for its own visitor and for tokens.

    With `looks_only`, also for other users who may read it. Raise ProblemError if access is
    refused.
    """
    visit = Visit.objects.select_related("desk", "queue").filter(public_id=public_id).first()
    if visit is None:
        raise ProblemError("unknown-visit")
    if looks_only:
        decision = may_read(principal, place_of(visit))
    else:
        own = Thing("visit", visit.public_id, visit.account_id)
        thing = own if principal.kind == "visitor" else visit
        decision = access.decide(principal, "line.visit", thing)
    if not decision:
        raise ProblemError(kind_of_refusal(decision, "unknown-visit"))
    return visit


def count_coming(request: HttpRequest) -> str:
    """Count a join or message and return its address. Raise ProblemError too-many-requests."""
    address = access.client_address(request)
    if not address:
        return ""
    if reached_limit("line-coming", network_of(address), COMES_PER_MINUTE, 60):
        raise ProblemError("too-many-requests", "too many visits from your network; wait a minute")
    return address
