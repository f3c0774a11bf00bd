"""The demo's gates: a speed test with a limit of 60, a firmware system, and their batches."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from poolsite.people.demo import token_anew
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.services import batch_create, gate_create, gate_key_new

DEVICES, SMALL_DEVICES = 2_000, 200
KEY = "gates"
TIMES: dict[str, Any] = {
    "permit_seconds": 150,
    "margin_seconds": 10,
    "longest_seconds": 600,
    "period_seconds": 30,  # 2,000 devices then report about 70 times a second
}
SMALL_TIMES: dict[str, Any] = {
    "permit_seconds": 12,
    "margin_seconds": 2,
    "longest_seconds": 60,
    "period_seconds": 2,
}


def make_gates(data: DemoData) -> None:
    """Create two gates with a batch each. `simulation["gates"]` describes the simulated devices.

    The first gate's batch is open, and the simulator plays all its devices. The second gate's
    window opens at night, so that a waiting batch can be seen.
    """
    count = SMALL_DEVICES if data.small else DEVICES
    before = {item["slug"]: item for item in read_simulation().get(KEY, [])}
    data.simulation[KEY] = [
        _entry(
            _gate(data, "speed-025", "Speed tests Nanjing", "025", cap=10 if data.small else 60),
            count,
            before,
        ),
        _entry(
            _gate(
                data,
                *("firmware", "Firmware server", "firmware"),
                cap=20,
                adaptive=True,
                adaptive_min=5,
                adaptive_max=40,
            ),
            count // 4,
            before,
            opens_in=timedelta(hours=0 if data.small else 12),
        ),
    ]


def _gate(data: DemoData, slug: str, name: str, key: str, **settings: Any) -> Gate:
    found = Gate.objects.filter(slug=slug).first()
    if found is not None:
        return found
    account = data.accounts.get("careline")
    return gate_create(
        actor=ACTOR,
        slug=slug,
        name=name,
        key=key,
        account=account,
        **(SMALL_TIMES if data.small else TIMES),
        **settings,
    )


def _entry(
    gate: Gate,
    count: int,
    before: dict[str, dict[str, Any]],
    opens_in: timedelta = timedelta(),
) -> dict[str, Any]:
    """Return what the simulator needs of a gate. Its token is kept from the previous start."""
    now = timezone.now()
    opens_at = now + opens_in
    if not TaskBatch.objects.filter(gate=gate, finished_at=None, closes_at__gt=now).exists():
        batch_create(
            actor=ACTOR,
            gate=gate,
            name=f"{gate.name} {opens_at:%Y-%m-%d}",
            csv="\n".join(f"{gate.slug}-{n:05d},run {n}" for n in range(count)).encode(),
            opens_at=opens_at,
            closes_at=opens_at + timedelta(hours=8),
        )
    known = before.get(gate.slug)
    return {
        "slug": gate.slug,
        "token": known["token"] if known else _token(gate),
        "devices": count,
        "prefix": f"{gate.slug}-",
        "cap": gate.cap,
        "period_seconds": gate.period_seconds,
        "permit_seconds": gate.permit_seconds,
        "signing_key": _signing_key(gate),
    }


def _signing_key(gate: Gate) -> str:
    """Return the key with which the simulated external system verifies permits."""
    return gate.signs_with or gate_key_new(actor=ACTOR, gate=gate)


def _token(gate: Gate) -> str:
    return token_anew(
        f"demo devices {gate.slug}",
        gate.account,
        resources=[f"gate:{gate.slug}"],
        actions=["admission.use"],
    )
