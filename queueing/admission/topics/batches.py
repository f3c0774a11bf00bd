"""`admission.batch:<id>`: a batch's progress. `admission.batches:<slug>`: a row per batch."""

from typing import Any

from poolsite import access, hotpath, live
from poolsite.live.scopes import id_of
from queueing.admission import gate as commands
from queueing.admission.api.directory import GateRef, gate_ref
from queueing.admission.models import TaskBatch
from queueing.admission.selectors import progress
from queueing.admission.selectors.batches import batch_row
from queueing.admission.topics.scope import GateScope

CLOCK_SECONDS = 1.0
SHOWN = 100
_LIVE = {"pending": "pending", "running": "issued", "done": "done", "failed": "failed"}


def _overlay(batch: TaskBatch, figures: commands.GateFigures | None) -> None:
    """Replace the counts of SQL, which the drain updates a little later, by those of Redis."""
    if figures is None or batch.state in (TaskBatch.State.SCHEDULED, TaskBatch.State.LOADING):
        return
    for found in figures.batches:
        if found.batch == batch.pk and found.closed_us is None and figures.status != "recovering":
            for name, field in _LIVE.items():
                setattr(batch, field, getattr(found, name))
            batch.expired = batch.total - batch.pending - batch.issued - batch.done - batch.failed


@live.register
class BatchTopic(live.SnapshotTopic):
    """A batch: the fields of `selectors.progress`, or {} once it is gone."""

    name = "admission.batch"

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self._id = id_of(key, "batch")
        self._wakes: list[str] = []

    async def allowed(self, principal: access.Principal) -> access.Decision:
        found = await live.in_thread(batch_row, self._id)
        ref = None
        if found is not None:
            gate = found.gate
            ref = GateRef(gate.pk, gate.slug, gate.account_id)
            self._wakes = [commands.GateKeys(gate.slug).wake_channel]
        return access.decide_found(principal, "admission.view", ref)

    def wake_channels(self) -> list[str]:
        """Return the gate's channel, which `allowed` set before the feed started, and our own."""
        return [*self._wakes, live.touch_channel(self.address)]

    async def read(self) -> Any:
        found = await live.in_thread(batch_row, self._id)
        if found is None:
            return {}
        _overlay(found, await hotpath.arun(commands.show(found.gate.slug)))
        return progress(found)

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


@live.register
class BatchesTopic(live.RowsTopic, GateScope):
    """A gate's newest 100 batches: id → name and the fields of `selectors.progress`."""

    name = "admission.batches"

    async def read(self) -> dict[str, Any]:
        ref = await gate_ref(self.slug)
        if ref is None:
            return {}
        rows = await live.in_thread(_newest, ref.id)
        figures = await hotpath.arun(commands.show(self.slug))
        for batch in rows:
            _overlay(batch, figures)
        return {str(batch.pk): {"name": batch.name, **progress(batch)} for batch in rows}

    def due_seconds(self) -> float | None:
        return CLOCK_SECONDS


def _newest(gate_id: int) -> list[TaskBatch]:
    return list(TaskBatch.objects.filter(gate_id=gate_id).order_by("-opens_at", "-pk")[:SHOWN])
