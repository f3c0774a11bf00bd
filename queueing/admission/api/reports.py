"""Processes a device's report: finds its gate, runs it with other reports, builds the response."""

from functools import partial
from typing import Any

import orjson

from poolsite import access, hotpath
from poolsite.access import Principal, TokenScope
from poolsite.api.gather import Gatherer
from poolsite.api.problems import RefusedError
from poolsite.api.reading import MalformedError
from poolsite.per_loop import PerLoop
from queueing.admission import gate as commands
from queueing.admission.api.answers import report_answer
from queueing.admission.api.directory import BUSY_LIMIT, GateRef, busy_gates, gate_ref
from queueing.admission.api.signing import signed
from queueing.admission.schemas import DATA_LIMIT_BYTES, DeviceReport, TaskResult

ACTION = "admission.use"
GATES_LIMIT = 32
DEFAULT_RETRY_SECONDS = 60
Reports = Gatherer[commands.DeviceReport, commands.ReportReply]


def check_device(principal: Principal, device: str) -> None:
    """Refuse devices that the token is not for. They are reported as not found."""
    scope = principal.scope
    if not isinstance(scope, TokenScope):
        return
    own = [ref for ref in scope.resources if ref.startswith("device:")]
    if own and f"device:{device}" not in own and "device:*" not in own:
        raise RefusedError("unknown-device", "device not found")


async def take(
    principal: Principal, ref: GateRef | None, device: str, given: DeviceReport
) -> dict[str, Any]:
    """Run a report and return the response's body. Raise the runner's errors, or RefusedError.

    If no gate is named, use the token's only gate, then the gate of the results, then the gate that
    has work for the device.
    """
    if ref is None:
        ref = await _gate_of(principal, device, given)
    if ref is None:
        return _nothing(given)
    sent = [result.task for result in given.results]
    told = await _gatherer().run(ref.slug, _report(ref, device, given))
    body = report_answer(ref.slug, told, sent)
    if told.token and told.until_us:
        body |= signed(ref, f"@{device}", told.token, told.until_us, task=body["task"])
    return body


def _nothing(given: DeviceReport) -> dict[str, Any]:
    body: dict[str, Any] = {
        "task": None,
        "token": None,
        "deadline": None,
        "retry_after": DEFAULT_RETRY_SECONDS,
    }
    if given.results:
        body["results"] = [
            {"task": result.task, "outcome": "unknown-task"} for result in given.results
        ]
    return body


def _report(ref: GateRef, device: str, given: DeviceReport) -> commands.DeviceReport:
    return commands.DeviceReport(
        device, tuple(_result(ref, result) for result in given.results), given.renew
    )


def _result(ref: GateRef, result: TaskResult) -> commands.Result:
    slug, _, number = result.task.partition(".")
    return commands.Result(
        task=int(number) if slug == ref.slug else 0,  # another gate's task: unknown here
        token=result.token,
        ok=result.ok,
        took_ms=result.took_ms,
        data=_data(result.data),
    )


def _data(value: Any) -> str:
    """Return the result's data as JSON. Control characters are escaped, so that it is one line."""
    if value is None:
        return ""
    try:
        text = orjson.dumps(value).decode()
    except (TypeError, ValueError) as error:
        raise MalformedError(f"results.data: {str(error)[:80]}") from None
    text = text.replace("\x7f", "\\u007f")
    if len(text.encode()) > DATA_LIMIT_BYTES:
        raise MalformedError(f"results.data: at most {DATA_LIMIT_BYTES} bytes")
    return text


# -- finding the gate -----------------------------------------------------------------------------


async def _gate_of(principal: Principal, device: str, given: DeviceReport) -> GateRef | None:
    named = {result.task.partition(".")[0] for result in given.results}
    if len(named) > 1:
        raise MalformedError("results: of one gate only; report for each gate by itself")
    own = _gates_of_token(principal)
    wanted = own[0] if len(own) == 1 else named.pop() if named else None
    if wanted is not None:
        ref = await gate_ref(wanted)
        decision = access.decide(principal, ACTION, ref) if ref is not None else None
        if ref is not None and decision:
            return ref
        return None  # a hidden gate has no such task
    return await _gate_with_work(principal, device)


def _gates_of_token(principal: Principal) -> list[str]:
    """Return the slugs of the gates that the token names, or [] if it is not limited to some."""
    scope = principal.scope
    if not isinstance(scope, TokenScope) or {"*", "gate:*"} & set(scope.resources):
        return []
    return sorted(ref[5:] for ref in scope.resources if ref.startswith("gate:"))


async def _gate_with_work(principal: Principal, device: str) -> GateRef | None:
    """Return the gate that has work for the device, among those the token covers.

    Only gates with unfinished batches are considered. If none has work, return a gate whose tasks
    are still loading, so that the response says so.
    """
    scope = principal.scope
    account_id = scope.account_id if isinstance(scope, TokenScope) else None
    busy, own = await busy_gates(account_id), _gates_of_token(principal)
    if len(busy) == BUSY_LIMIT and 0 < len(own) <= GATES_LIMIT:  # the token's may be left out
        busy = tuple([ref for slug in own if (ref := await gate_ref(slug))])
    refs = [ref for ref in busy if access.decide(principal, ACTION, ref)]
    if len(refs) > GATES_LIMIT:
        raise RefusedError("malformed", "specify the gate: ?gate=<slug>")
    if len(refs) < 2:
        return refs[0] if refs else None
    found = await hotpath.arun_batch([commands.has_work(ref.slug, device) for ref in refs])
    loading = None
    for ref, has in zip(refs, found, strict=True):
        if isinstance(has, hotpath.HotPathError):
            raise has
        if has == "task":
            return ref
        if has == "loading":
            loading = loading or ref
    return loading


# -- gathering -----------------------------------------------------------------------------------


_gatherer: PerLoop[Reports] = PerLoop(partial(Gatherer, commands.reports))
