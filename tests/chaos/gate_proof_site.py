"""The proof's part inside the product: it makes the gate and its batch, and reports SQL's state.

python -m tests.chaos.gate_proof_site make '<json of the settings>' <devices>
python -m tests.chaos.gate_proof_site judge <slug>

A program to run in the environment of the site. It prints JSON.
"""

import json
import sys
from collections import Counter
from datetime import timedelta

import django

PREFIX = "d"


def make(settings: str, devices: str) -> dict[str, str]:
    """Make the gate, a token for its devices, and a batch with one task for each."""
    from django.utils import timezone

    from poolsite.access.services import token_create
    from queueing.admission import services

    given = json.loads(settings)
    gate = services.gate_create(actor="proof", **given)
    _, secret = token_create(
        name="devices",
        account=None,
        resources=[f"gate:{gate.slug}"],
        actions=["admission.use"],
        actor="proof",
    )
    now = timezone.now()
    services.batch_create(
        actor="proof",
        gate=gate,
        name="proof",
        csv="\n".join(f"{PREFIX}{n:05d},run {n}" for n in range(int(devices))).encode(),
        opens_at=now,
        closes_at=now + timedelta(hours=12),
    )
    return {"token": secret, "signing_key": services.gate_key_new(actor="proof", gate=gate)}


def judge(slug: str) -> dict[str, object]:
    """Return the tasks' results: by state, by how often each ended, by event."""
    from queueing.admission.models import Gate, GateEvent, Task, TaskBatch

    gate = Gate.objects.get(slug=slug)
    batch = TaskBatch.objects.get(gate=gate)
    events = GateEvent.objects.filter(aggregate=gate)
    ends = Counter(events.filter(event__in=("done", "failed")).values_list("task", flat=True))
    for change in events.filter(event="closed").values_list("data", flat=True):
        ends.update(int(task) for task in change.split(","))
    tasks = Task.objects.filter(batch=batch)
    return {
        "states": dict(Counter(tasks.values_list("state", flat=True))),
        "ends": dict(Counter(ends[key] for key in tasks.values_list("pk", flat=True))),
        "events": dict(Counter(events.values_list("event", flat=True))),
        "batch": {
            name: getattr(batch, name)
            for name in ("total", "pending", "issued", "done", "failed", "expired", "late")
        },
    }


def main() -> None:
    django.setup()
    verb, *words = sys.argv[1:]
    print(json.dumps(make(*words) if verb == "make" else judge(*words)))


if __name__ == "__main__":
    main()
