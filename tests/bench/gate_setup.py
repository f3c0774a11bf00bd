"""A program that makes the gate, its batch and the token that row 20 uses. It prints the token."""

import sys
from datetime import timedelta

import django


def main(slug: str, devices: str) -> None:
    """Make a gate with one task for each device, loaded and ready."""
    django.setup()
    from django.utils import timezone

    from poolsite.access.services import token_create
    from poolsite.jobs.models import Job
    from poolsite.jobs.runner import run
    from queueing.admission import services

    made = services.gate_create(actor="bench", slug=slug)
    now = timezone.now()
    services.batch_create(
        actor="bench",
        gate=made,
        name="bench",
        csv="\n".join(f"d{n},do {n}" for n in range(int(devices))).encode(),
        opens_at=now,
        closes_at=now + timedelta(hours=2),
    )
    services.open_windows()
    for job in Job.objects.filter(kind="admission.load"):
        run(job.pk)
    _, secret = token_create(
        name="devices",
        account=None,
        resources=[f"gate:{slug}"],
        actions=["admission.use"],
        actor="bench",
    )
    print(secret)


if __name__ == "__main__":
    main(*sys.argv[1:])
