"""The gates, as the hot lane needs them: read from SQL, cached for a second."""

from dataclasses import dataclass, field

from poolsite.api.directory import DirectoryKind
from queueing.admission.models import Gate, TaskBatch

BUSY_LIMIT = 100
EVERYBODY = "*"
FIELDS = ("pk", "slug", "account_id", "signing_key", "previous_signing_key")


@dataclass(frozen=True, slots=True)
class GateRef:
    """What the hot lane needs of a gate. Access checks treat it like the gate."""

    id: int
    slug: str
    account_id: int | None
    signing_key: str = field(default="", repr=False)

    access_kind = "gate"

    @property
    def access_ref(self) -> str:
        """The name that tokens and grants use."""
        return f"gate:{self.slug}"


def _load(slug: str) -> GateRef | None:
    gate = Gate.objects.filter(slug=slug).only(*FIELDS).first()
    return None if gate is None else _ref(gate)


def _ref(gate: Gate) -> GateRef:
    return GateRef(gate.pk, gate.slug, gate.account_id, gate.signs_with)


def _load_busy(account: str) -> tuple[GateRef, ...]:
    """Return the gates with an unfinished batch: a device may have work there."""
    busy = TaskBatch.objects.filter(finished_at=None).values("gate_id")
    gates = Gate.objects.filter(pk__in=busy).order_by("slug")
    if account != EVERYBODY:
        gates = gates.filter(account_id=int(account))
    return tuple(_ref(gate) for gate in gates.only(*FIELDS)[:BUSY_LIMIT])


_GATES: DirectoryKind[GateRef] = DirectoryKind("gates", _load)
_BUSY: DirectoryKind[tuple[GateRef, ...]] = DirectoryKind("busy gates", _load_busy)


async def gate_ref(slug: str) -> GateRef | None:
    """Return the gate with this slug, or None."""
    return await _GATES.get(slug)


async def busy_gates(account_id: int | None) -> tuple[GateRef, ...]:
    """Return an account's gates with unfinished batches or, with None, those of all accounts."""
    name = EVERYBODY if account_id is None else str(account_id)
    return await _BUSY.get(name) or ()
