"""The gates' routes behind Django, and the hot lane's in the same OpenAPI document."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Path, Query, Router, Status

from poolsite import access, hotpath
from poolsite.access import Principal, principal_of_request
from poolsite.api import examples
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError, api
from queueing.admission import gate as door
from queueing.admission import selectors, services
from queueing.admission.api.answers import kind_of
from queueing.admission.api.examples import EXAMPLES
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.schemas import (
    AcquireIn,
    BatchIn,
    BatchOut,
    CountAnswer,
    DeviceReport,
    GateOut,
    HolderOut,
    KeyOut,
    ObserveAnswer,
    ObserveIn,
    PermitAnswer,
    ReleaseAnswer,
    ReleaseIn,
    RenewIn,
    ReportAnswer,
)

gates = Router(tags=["gates"])
devices = Router(tags=["gates"])
Slug: Any = Path(..., pattern=r"^[a-z0-9-]{1,40}$", description="The gate's slug.")  # type: ignore[type-arg]
Device: Any = Path(..., pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$")  # type: ignore[type-arg]
PAGE = 200
WHY_STEERED = "Required for `pause` and `cancel`."


def register() -> None:
    """Called once, by poolsite.urls."""
    examples.declare(EXAMPLES)
    api.add_router("/gates", gates)
    api.add_router("/devices", devices)


# -- looking -------------------------------------------------------------------------------------


@gates.get("", response={200: list[GateOut]}, summary="List gates")
def list_gates(request: HttpRequest) -> Any:
    """The gates that the credential can access."""
    principal = principal_of_request(request)
    access.require(principal, "admission.view")
    return [selectors.gate_out(now) for now in selectors.gate_list(principal)]


@gates.get("/{slug}", response={200: GateOut}, summary="Get a gate")
def get_gate(request: HttpRequest, slug: str = Slug) -> Any:
    """The gate and its current figures."""
    gate = _gate(principal_of_request(request), slug)
    return selectors.gate_out(selectors.gate_now(gate))


@gates.get("/{slug}/holders", response={200: list[HolderOut]}, summary="List permits")
def list_holders(
    request: HttpRequest,
    slug: str = Slug,
    offset: int = Query(0, ge=0, le=1_000_000),  # type: ignore[type-arg]
) -> Any:
    """Up to 200 permits, earliest deadline first."""
    gate = _gate(principal_of_request(request), slug)
    try:
        found = hotpath.run(door.holders(gate.slug, offset, PAGE))
    except door.GateRefusedError as error:
        if error.reason == door.reasons.NO_SUCH_GATE:
            return []  # lost, and not yet rebuilt: the gate's own route says so
        raise ProblemError(kind_of(error), error.reason) from None
    return [
        {
            "holder": row.holder,
            "token": row.token,
            "granted": row.granted_us,
            "deadline": row.deadline_us,
            "task": None if row.task is None else f"{gate.slug}.{row.task}",
        }
        for row in found.rows
    ]


@gates.post("/{slug}/key/{do}", response={200: KeyOut}, summary="Change the signing key")
def change_key(
    request: HttpRequest,
    slug: str = Slug,
    do: str = Path(..., pattern=r"^(new|use|remove)$"),  # type: ignore[type-arg]
    reason: str = Query("", max_length=500, description="Required for `remove`."),  # type: ignore[type-arg]
) -> Any:
    """Create a signing key, sign with the newest one, or stop signing.

    The first key signs immediately. A later key waits for `use`, so that external systems can be
    given it first. Requires an operator with the grant `operate`.
    """
    principal = principal_of_request(request)
    gate = _gate(principal, slug)
    found = services.gate_key_change(do, actor=principal, gate=gate, reason=reason)
    return {"key": found or None, **Gate.objects.get(pk=gate.pk).signing_prints}


# -- batches -------------------------------------------------------------------------------------


@gates.get("/{slug}/batches", response={200: list[BatchOut]}, summary="List batches")
def list_batches(request: HttpRequest, slug: str = Slug) -> Any:
    """The latest 200 batches of a gate."""
    gate = _gate(principal_of_request(request), slug)
    return [selectors.batch_out(batch) for batch in selectors.batch_list(gate)[:PAGE]]


@gates.post("/{slug}/batches", response={201: BatchOut}, summary="Create a batch")
def make_batch(request: HttpRequest, given: BatchIn, slug: str = Slug) -> Any:
    """Upload a batch. If rows are bad or repeated, they are listed and nothing is created,
    unless `skip_bad` is set.
    """
    principal = principal_of_request(request)
    gate = _gate(principal, slug)
    made = services.batch_create(
        actor=principal,
        gate=gate,
        name=given.name,
        csv=given.csv.encode(),
        opens_at=given.opens_at,
        closes_at=given.closes_at,
        skip_bad=given.skip_bad,
    )
    return Status(201, selectors.batch_out(made.batch))


@gates.get("/{slug}/batches/{batch}", response={200: BatchOut}, summary="Get a batch")
def get_batch(request: HttpRequest, batch: int, slug: str = Slug) -> Any:
    """A batch and its progress."""
    return selectors.batch_out(_batch(principal_of_request(request), slug, batch))


@gates.post(
    "/{slug}/batches/{batch}/{what}",
    response={200: BatchOut},
    summary="Pause, resume or cancel a batch",
)
def steer_batch(
    request: HttpRequest,
    batch: int,
    slug: str = Slug,
    what: str = Path(..., pattern=r"^(pause|resume|cancel)$"),  # type: ignore[type-arg]
    reason: str = Query("", max_length=500, description=WHY_STEERED),  # type: ignore[type-arg]
) -> Any:
    """Pause a batch, resume it, or cancel it permanently."""
    principal = principal_of_request(request)
    found = _batch(principal, slug, batch)
    steer = {
        "pause": services.batch_pause,
        "resume": services.batch_resume,
        "cancel": services.batch_cancel,
    }[what]
    return selectors.batch_out(steer(actor=principal, batch=found, reason=reason))


def _gate(principal: Principal, slug: str) -> Gate:
    try:
        return selectors.gate_get(principal, slug)
    except access.Hidden:
        raise ProblemError("unknown-gate") from None


def _batch(principal: Principal, slug: str, key: int) -> TaskBatch:
    gate = _gate(principal, slug)
    batch = None
    if 0 < key < 2**63:
        batch = TaskBatch.objects.select_related("gate").filter(gate=gate, pk=key).first()
    if batch is None:
        raise ProblemError("unknown-batch")
    return batch


# -- the hot lane's routes, for the document only --------------------------------------------------


def _served_elsewhere() -> HttpResponse:
    raise ProblemError("unavailable", "this path is served before Django")


@devices.post("/{device}/report", response={200: ReportAnswer}, summary="Report as a device")
def report(request: HttpRequest, given: DeviceReport, device: str = Device) -> Any:
    """Report results and get a task, or a place in line. Results are processed first.

    A report can be repeated after a lost answer: results count once, and a running task is
    returned again with the same token and deadline. A token for several gates needs `?gate=`.
    """
    return _served_elsewhere()


@gates.post("/{slug}/acquire", response={200: PermitAnswer}, summary="Acquire a permit")
def acquire(request: HttpRequest, given: AcquireIn, slug: str = Slug) -> Any:
    """Get a permit for a holder, or its place in line."""
    return _served_elsewhere()


@gates.post("/{slug}/release", response={200: ReleaseAnswer}, summary="Release a permit")
def release(request: HttpRequest, given: ReleaseIn, slug: str = Slug) -> Any:
    """Release the holder's own permit, once. Anything else changes nothing."""
    return _served_elsewhere()


@gates.post("/{slug}/renew", response={200: PermitAnswer}, summary="Renew a permit")
def renew(request: HttpRequest, given: RenewIn, slug: str = Slug) -> Any:
    """Extend the permit's deadline, up to the longest time allowed since it was granted."""
    return _served_elsewhere()


@gates.post(
    "/{slug}/incr",
    response={200: CountAnswer},
    summary="Acquire an anonymous permit",
)
def incr(request: HttpRequest, given: NothingIn, slug: str = Slug) -> Any:
    """For clients without a holder name: an anonymous permit with its own deadline."""
    return _served_elsewhere()


@gates.post(
    "/{slug}/decr",
    response={200: CountAnswer},
    summary="Release an anonymous permit",
)
def decr(request: HttpRequest, given: NothingIn, slug: str = Slug) -> Any:
    """For clients without a holder name: ends the oldest anonymous permit, if there is one."""
    return _served_elsewhere()


@gates.post(
    "/{slug}/observe",
    response={200: ObserveAnswer},
    summary="Report the external system's count",
)
def observe(request: HttpRequest, given: ObserveIn, slug: str = Slug) -> Any:
    """Report how many clients the external system serves at once, by its own count."""
    return _served_elsewhere()
