"""The route that explains why a device gets no task."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router
from ninja.params import functions as param
from pydantic import BaseModel, Field

from poolsite.access import principal_of_request
from queueing.admission import selectors
from queueing.admission.api.common import Slug, gate_of
from queueing.admission.selectors.explaining import Explanation

devices_of_gate = Router(tags=["batches"])
Device: Any = param.Path(
    ...,
    pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$",
    description="The device's ID.",
)


class DeviceOut(BaseModel):
    """Why a device gets no task of a gate, or that it has one."""

    device: str
    gate: str
    reason: str = Field(
        description="running, next-report, full, turn, rate, gate-paused, recovering, loading, "
        "not-open, window-closed, batch-paused, batch-cancelled, attempts-used, failed, done, "
        "result-pending or no-task."
    )
    text: str = Field(description="The reason as a sentence.")
    task: str | None = Field(description="The task that the reason is about.")
    batch: int | None = Field(description="The batch of the task.")
    attempt: int | None
    attempts: int = Field(description="Attempts that a task of this gate gets.")
    place: int | None = Field(description="Place in line, starting at 1.")
    estimate_seconds: int | None
    retry_after: int | None = Field(description="Seconds until a report is of use.")
    opens_at: datetime | None
    closes_at: datetime | None
    ended_at: datetime | None
    reported_at: datetime | None = Field(
        description="The latest report, while the device waits in line."
    )


@devices_of_gate.get(
    "/{slug}/devices/{device}",
    response={200: DeviceOut},
    summary="Explain why a device gets no task",
)
def explain_device(request: HttpRequest, slug: str = Slug, device: str = Device) -> Any:
    """Why the device gets no task of this gate now. Nothing is changed.

    If the gate never had a task for the device, the reason is `no-task`.
    """
    gate = gate_of(principal_of_request(request), slug)
    return _out(gate.slug, selectors.explain(gate, device))


def _out(slug: str, found: Explanation) -> dict[str, Any]:
    batch = found.batch
    return {
        "device": found.device,
        "gate": slug,
        "reason": found.reason,
        "text": found.text,
        "task": None if found.task is None else f"{slug}.{found.task}",
        "batch": batch.pk if batch else None,
        "attempt": found.attempt,
        "attempts": found.attempts,
        "place": found.place,
        "estimate_seconds": found.estimate_seconds,
        "retry_after": found.retry_seconds,
        "opens_at": batch.opens_at if batch else None,
        "closes_at": batch.closes_at if batch else None,
        "ended_at": found.ended_at,
        "reported_at": found.reported_at,
    }
