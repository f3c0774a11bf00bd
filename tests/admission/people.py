"""Gates, batches and tokens for the tests of services and interfaces."""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from poolsite import history, hotpath
from poolsite.access.models import Account
from poolsite.access.services import token_create
from poolsite.history import Aggregate
from poolsite.jobs.models import Job
from poolsite.jobs.runner import run
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.services import loading

SLUG = "tower"


def make_gate(slug: str = SLUG, **given: Any) -> Gate:
    """Make a gate, with the defaults unless given otherwise."""
    return services.gate_create(actor="test", slug=slug, **given)


def make_batch(
    gate: Gate, devices: list[str], *, seconds: int = 3_600, load: bool = True, name: str = "batch"
) -> TaskBatch:
    """Make a batch whose window opened a minute ago, by default loaded into Redis."""
    now = timezone.now()
    made = services.batch_create(
        actor="test",
        gate=gate,
        name=name,
        csv="\n".join(f"{device},do {device}" for device in devices).encode(),
        opens_at=now - timedelta(seconds=60),
        closes_at=now + timedelta(seconds=seconds),
    )
    if load:
        load_due()
    made.batch.refresh_from_db()
    return made.batch


def load_due() -> None:
    """Do what the windows' sweep and a worker do."""
    services.open_windows()
    for job in Job.objects.filter(kind=loading.LOAD, state=Job.State.QUEUED):
        run(job.pk)


def drain(gate: Gate) -> None:
    """Drain a gate's history into SQL."""
    while history.drain("admission.gate", Aggregate(gate.tag, gate.pk)).lag:
        pass


def show(slug: str = SLUG) -> commands.GateFigures:
    found = hotpath.run(commands.show(slug))
    assert found is not None
    return found


def report(device: str, *results: commands.Result, slug: str = SLUG) -> commands.ReportReply:
    """Send one report straight to the gate's script."""
    told: commands.ReportReply = hotpath.run(
        commands.reports(slug, [commands.DeviceReport(device, results)])
    )[0]
    return told


def done(told: commands.ReportReply, *, ok: bool = True) -> commands.Result:
    """Return the result of a task that was just issued."""
    assert told.task is not None
    assert told.token is not None
    return commands.Result(told.task, told.token, ok)


def token_for(
    *gates: Gate, account: Account | None = None, resources: list[str] | None = None, **given: Any
) -> str:
    """Return the secret of a token that may use these gates."""
    given.setdefault("actions", ["admission.use", "admission.view"])
    owner = account if account is not None else gates[0].account if gates else None
    _, secret = token_create(
        name="device",
        account=owner,
        resources=resources or [f"gate:{gate.slug}" for gate in gates],
        actor="test",
        **given,
    )
    return secret
