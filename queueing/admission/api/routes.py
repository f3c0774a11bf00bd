"""The gates' Django routes, and the hot lane's routes for the same OpenAPI document."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from poolsite.api import examples
from poolsite.api.reading import NothingIn
from poolsite.api.root import ProblemError, api
from queueing.admission.api.batches import batches
from queueing.admission.api.common import Slug
from queueing.admission.api.devices import Device, devices_of_gate
from queueing.admission.api.examples import EXAMPLES
from queueing.admission.api.holders import holders
from queueing.admission.api.managing import gates
from queueing.admission.schemas import (
    AcquireIn,
    CountAnswer,
    DeviceReport,
    ObserveAnswer,
    ObserveIn,
    PermitAnswer,
    ReleaseAnswer,
    ReleaseIn,
    RenewIn,
    ReportAnswer,
)

devices = Router(tags=["batches"])


def register() -> None:
    """Register the routes. poolsite.urls calls this once."""
    examples.declare(EXAMPLES)
    gates.add_router("", holders)
    api.add_router("/gates", gates)
    api.add_router("/gates", batches)
    api.add_router("/gates", devices_of_gate)
    api.add_router("/devices", devices)


# -- the hot lane's routes, for the document only --------------------------------------------------


def _served_elsewhere() -> HttpResponse:
    raise ProblemError("unavailable", "this path is served before Django")


@devices.post("/{device}/report", response={200: ReportAnswer}, summary="Report as a device")
def report(request: HttpRequest, given: DeviceReport, device: str = Device) -> Any:
    """Report results and get a task, or a place in line. Results are processed first.

    You can repeat a report if its response was lost: results count once, and a running task is
    returned again with the same token and deadline. A token for several gates needs `?gate=`.
    """
    return _served_elsewhere()


@gates.post("/{slug}/acquire", response={200: PermitAnswer}, summary="Acquire a permit")
def acquire(request: HttpRequest, given: AcquireIn, slug: str = Slug) -> Any:
    """Get a permit for a holder, or its place in line.

    With `wait_ms`, the response is sent when a permit is granted or the time is up. If you cancel
    the request, no permit and no place in line remain.
    """
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
    """For clients without a holder name: acquire an anonymous permit with its own deadline."""
    return _served_elsewhere()


@gates.post(
    "/{slug}/decr",
    response={200: CountAnswer},
    summary="Release an anonymous permit",
)
def decr(request: HttpRequest, given: NothingIn, slug: str = Slug) -> Any:
    """For clients without a holder name: release the oldest anonymous permit, if any."""
    return _served_elsewhere()


@gates.post(
    "/{slug}/observe",
    response={200: ObserveAnswer},
    summary="Report the external system's count",
)
def observe(request: HttpRequest, given: ObserveIn, slug: str = Slug) -> Any:
    """Report how many clients the external system currently serves, by its own count."""
    return _served_elsewhere()
