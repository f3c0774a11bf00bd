"""The gates' hot routes, served before Django: reports of devices, permits, incr and decr."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.api import lane
from poolsite.api.gather import Gatherer
from poolsite.api.problems import RefusedError, kind_of_refusal, problem_response
from poolsite.api.reading import BodyReader, MalformedError, NothingIn
from poolsite.api.waiting import while_allowed
from poolsite.per_loop import PerLoop
from queueing.admission import gate as commands
from queueing.admission.api import answers, reports, waiting
from queueing.admission.api.directory import GateRef, gate_ref
from queueing.admission.api.signing import signed
from queueing.admission.schemas import (
    BODY_LIMIT_BYTES,
    AcquireIn,
    DeviceReport,
    ObserveIn,
    ReleaseIn,
    RenewIn,
)

B = TypeVar("B", bound=BaseModel)
R = TypeVar("R")
ACTION = "admission.use"
REPORT_PATH = "/api/v1/devices/{device}/report"
GATE_PATH = "/api/v1/gates/{slug}/"
_REPORTS: BodyReader[DeviceReport] = BodyReader(DeviceReport)


def register() -> None:
    """Register the routes. poolsite.asgi calls this once."""
    lane.register(REPORT_PATH, post_report)
    routes: tuple[tuple[str, Any, Any, Any], ...] = (
        ("acquire", AcquireIn, _acquire, answers.permit_answer),
        ("release", ReleaseIn, _release, answers.ended_answer),
        ("renew", RenewIn, _renew, answers.permit_answer),
        ("incr", NothingIn, _incr, answers.counted_answer),
        ("decr", NothingIn, _decr, answers.counted_answer),
        ("observe", ObserveIn, _observe, answers.observed_answer),
    )
    for name, model, command, answer in routes:
        lane.register(GATE_PATH + name, _GateRoute(model, command, answer))


# -- the caller ------------------------------------------------------------------------------------


async def _principal(request: Request) -> Principal:
    """Authenticate a program. Cookies are ignored here, so no CSRF token is needed."""
    if not any(name == b"authorization" for name, _ in request.scope["headers"]):
        raise RefusedError("unauthenticated")
    principal = await access.principal_of_scope(request.scope)
    if not principal.is_authenticated:
        raise RefusedError("unauthenticated")
    return principal


async def _gate(principal: Principal, slug: str) -> GateRef:
    ref = await gate_ref(slug)
    if ref is None:
        raise RefusedError("unknown-gate")
    decision = access.decide(principal, ACTION, ref)
    if not decision:
        raise RefusedError(kind_of_refusal(decision, "unknown-gate"))
    return ref


# -- devices -------------------------------------------------------------------------------------


async def post_report(request: Request) -> Response:
    """Process a device's results, then give it a task or its place in line."""
    try:
        principal = await _principal(request)
        device = request.path_params["device"]
        reports.check_device(principal, device)
        if not commands.is_device_name(device):
            raise RefusedError("malformed", "device: use 1 to 63 letters, digits, . _ : and -")
        given = _REPORTS.read_one(await lane.read_body(request, BODY_LIMIT_BYTES))
        named = request.query_params.get("gate")
        ref = await _gate(principal, named) if named else None
        body = await reports.take(principal, ref, device, given)
    except MalformedError as error:
        return problem_response("malformed", str(error))
    except commands.GateRefusedError as error:
        return _gate_refused(error)
    return _ok(body)


# -- permits -------------------------------------------------------------------------------------


class _GateRoute:
    """A route of a gate: its body, its command, its response."""

    def __init__(
        self,
        model: type[B],
        run: Callable[[str, B], Awaitable[R]],
        answer: Callable[[R], dict[str, Any]],
    ) -> None:
        self._reader: BodyReader[B] = BodyReader(model)
        self._run = run
        self._answer = answer

    async def __call__(self, request: Request) -> Response:
        try:
            principal = await _principal(request)
            ref = await _gate(principal, request.path_params["slug"])
            body = await lane.read_body(request, BODY_LIMIT_BYTES)
            given = self._reader.read_one(body or b"{}")
            running = self._run(ref.slug, given)
            waits = isinstance(given, AcquireIn) and given.wait_ms
            result = await (while_allowed(request, principal, running) if waits else running)
        except MalformedError as error:
            return problem_response("malformed", str(error))
        except commands.GateRefusedError as error:
            return _gate_refused(error)
        answer = self._answer(result)
        if isinstance(result, commands.Permit) and result.granted:
            answer |= _signed(ref, given, result)
        return _ok(answer)


def _signed(ref: GateRef, given: BaseModel, permit: commands.Permit) -> dict[str, Any]:
    if not isinstance(given, AcquireIn | RenewIn):
        return {}
    return signed(ref, given.holder, permit.token, permit.deadline_us, weight=permit.weight)


async def _acquire(slug: str, given: AcquireIn) -> commands.Permit:
    if given.gates is not None and set(given.gates) != {slug}:
        raise RefusedError("several-gates", "gates: name only the gate of the path")
    return await waiting.acquire(slug, given, partial(_gathered, slug))


def _release(slug: str, given: ReleaseIn) -> Awaitable[commands.Ended]:
    told = commands.to_release(given.holder, given.token, ok=given.ok, took_ms=given.took_ms)
    return _gathered(slug, told)


def _renew(slug: str, given: RenewIn) -> Awaitable[commands.Permit]:
    return _gathered(slug, commands.to_renew(given.holder, given.token, given.weight))


def _incr(slug: str, given: NothingIn) -> Awaitable[commands.Counted]:
    return hotpath.arun(commands.incr(slug))


def _decr(slug: str, given: NothingIn) -> Awaitable[commands.Counted]:
    return hotpath.arun(commands.decr(slug))


def _observe(slug: str, given: ObserveIn) -> Awaitable[commands.Observed]:
    told = commands.observe(
        slug, given.count, good=given.good, bad=given.bad, took_ms=given.took_ms
    )
    return hotpath.arun(told)


async def _gathered(slug: str, request: commands.Request[R]) -> R:
    """Run a holder's request. Requests that arrive together reach their gate in one list."""
    result: R = await _gatherer().run(slug, request)
    return result


_gatherer: PerLoop[Gatherer[commands.Request[Any], Any]] = PerLoop(
    partial(Gatherer, commands.requests)
)


def _ok(body: dict[str, Any]) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")


def _gate_refused(error: commands.GateRefusedError) -> Response:
    return problem_response(answers.kind_of(error), error.reason, reason=error.reason)
