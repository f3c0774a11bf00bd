"""Billing's hot routes: holds, their settlement and the balance. They are served before Django."""

from collections.abc import Sequence
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from billing.api import processing, reading
from billing.api.answers import Answered
from billing.api.directory import wallets
from billing.schemas import BODY_LIMIT_BYTES, HoldIn, IdIn, ReportIn, SessionIn
from billing.services.senders import WalletRef
from poolsite import access
from poolsite.access import Principal, TokenScope
from poolsite.api import lane
from poolsite.api.problems import (
    MEDIA_TYPE,
    kind_of_refusal,
    problem_headers,
    problem_response,
)
from poolsite.api.reading import BodyReader, MalformedError

ACCOUNT = "/api/v1/accounts/{slug}"
_HOLDS: BodyReader[HoldIn] = BodyReader(HoldIn)
_IDS: BodyReader[IdIn] = BodyReader(IdIn)
_REPORTS: BodyReader[ReportIn] = BodyReader(ReportIn)
_SESSIONS: BodyReader[SessionIn] = BodyReader(SessionIn)


def register() -> None:
    """Register the routes. Called once, by poolsite.asgi."""
    lane.register(f"{ACCOUNT}/holds", post_holds)
    lane.register(f"{ACCOUNT}/sent", post_sent)
    lane.register(f"{ACCOUNT}/cancellations", post_cancellations)
    lane.register(f"{ACCOUNT}/settlements", post_settlements)
    lane.register(f"{ACCOUNT}/sessions", post_sessions)
    lane.register(f"{ACCOUNT}/balance", get_balance, methods=("GET",))
    lane.register(f"{ACCOUNT}/messages/{{message_id:path}}", get_message, methods=("GET",))


class _RefusedError(Exception):
    def __init__(self, response: Response) -> None:
        super().__init__(response.status_code)
        self.response = response


async def post_holds(request: Request) -> Response:
    """Hold one message or a batch. Each item of a batch has its own result."""
    try:
        principal, ref = await _admit(request, "hold")
        items, batch = await _read(request, _HOLDS)
        return _response(await processing.hold(ref, principal, items), batch)
    except _RefusedError as refused:
        return refused.response


async def post_sessions(request: Request) -> Response:
    """Charge session messages."""
    try:
        principal, ref = await _admit(request, "session")
        items, batch = await _read(request, _SESSIONS)
        return _response(await processing.session(ref, principal, items), batch)
    except _RefusedError as refused:
        return refused.response


async def post_sent(request: Request) -> Response:
    """Mark messages as sent, just before they are passed to the gateway."""
    return await _post_ids(request, "sent")


async def post_cancellations(request: Request) -> Response:
    """Cancel messages that were not sent."""
    return await _post_ids(request, "cancel")


async def _post_ids(request: Request, what: str) -> Response:
    try:
        _principal, ref = await _admit(request, what)
        items, batch = await _read(request, _IDS)
        return _response(await processing.mark(ref, what, items), batch)
    except _RefusedError as refused:
        return refused.response


async def post_settlements(request: Request) -> Response:
    """Accept status reports from the platform's gateway."""
    try:
        principal, ref = await _admit(request, "settle")
        _only_of_platform(principal)
        items, batch = await _read(request, _REPORTS)
        return _response(await processing.settle(ref, items), batch)
    except _RefusedError as refused:
        return refused.response


async def get_balance(request: Request) -> Response:
    """Return a wallet's current figures."""
    try:
        ref = await _admit_reader(request)
    except _RefusedError as refused:
        return refused.response
    balance = await reading.balance_of(ref)
    if balance is None:
        return problem_response("unavailable", "the account's data is being rebuilt")
    return _json(reading.balance_out(ref, balance).model_dump())


async def get_message(request: Request) -> Response:
    """Return one message."""
    try:
        ref = await _admit_reader(request)
    except _RefusedError as refused:
        return refused.response
    found = await reading.message_of(ref, request.path_params["message_id"])
    if found is None:
        return problem_response("unknown-message", "this account has no message with this id")
    return _json(found.model_dump())


# -- access --------------------------------------------------------------------------------------


async def _admit(request: Request, event: str) -> tuple[Principal, WalletRef]:
    """Return the principal and the wallet. Only tokens are accepted, no session cookies.

    So no page on another site can make a browser spend money, and no CSRF token is needed.
    """
    if not any(name == b"authorization" for name, _ in request.scope["headers"]):
        raise _RefusedError(problem_response("unauthenticated"))
    principal, ref = await _allowed(request, "billing.hold")
    if not principal.may_send(event):
        raise _RefusedError(problem_response("forbidden", f"this token may not send {event}"))
    return principal, ref


async def _admit_reader(request: Request) -> WalletRef:
    """Return the wallet to read. Tokens and session cookies are accepted."""
    return (await _allowed(request, "billing.view"))[1]


async def _allowed(request: Request, action: str) -> tuple[Principal, WalletRef]:
    principal = await access.principal_of_scope(request.scope)
    if not principal.is_authenticated:
        raise _RefusedError(problem_response("unauthenticated"))
    ref = await wallets().get(request.path_params["slug"])
    decision = access.decide_found(principal, action, ref)
    if not decision or ref is None:
        raise _RefusedError(problem_response(kind_of_refusal(decision, "unknown-account")))
    return principal, ref


def _only_of_platform(principal: Principal) -> None:
    """Refuse customers' tokens, because a status report can return money."""
    scope = principal.scope
    if not isinstance(scope, TokenScope) or scope.account_id is not None:
        detail = "status reports come from the platform's gateway"
        raise _RefusedError(problem_response("forbidden", detail))


# -- bodies and responses ------------------------------------------------------------------------


async def _read(request: Request, reader: BodyReader[Any]) -> tuple[Sequence[Any], bool]:
    """Return the items of a body, and whether they are a batch."""
    body = await lane.read_body(request, BODY_LIMIT_BYTES)
    try:
        read = reader.read(body)
    except MalformedError as error:
        raise _RefusedError(problem_response("malformed", str(error))) from None
    return (read, True) if isinstance(read, list) else ([read], False)


def _response(answers: Sequence[Answered], batch: bool) -> Response:
    if batch:
        return _json([{**body, "status": status} for status, body in answers])
    status, body = answers[0]
    if status < 300:
        return Response(orjson.dumps(body), status, media_type="application/json")
    return Response(orjson.dumps(body), status, problem_headers(body["type"]), MEDIA_TYPE)


def _json(body: Any) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")
