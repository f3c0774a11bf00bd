"""Make the data of the gates' pages: a gate under load, and one that a test controls.

A program for a migrated database, run in the environment of the site. It prints, for each gate,
what its devices' simulator needs.
"""

import json
from datetime import timedelta

import django

TIMES = {"permit_seconds": 8, "margin_seconds": 1, "longest_seconds": 60, "period_seconds": 1}
DEVICES, BATCHES, CAP = 40, 12, 6


def main() -> None:
    django.setup()
    from django.utils import timezone

    from poolsite.access.services import token_create
    from queueing.admission import services

    told = []
    for slug, name, cap, times in (("tower", "Tower", CAP, TIMES), ("press", "Press", 2, {})):
        gate = services.gate_create(actor="stage", slug=slug, name=name, cap=cap, **times)
        _, secret = token_create(
            name=slug,
            account=None,
            resources=[f"gate:{slug}"],
            actions=["admission.use"],
            actor="stage",
        )
        told.append(
            {
                "slug": slug,
                "token": secret,
                "devices": DEVICES,
                "prefix": "d",
                "cap": cap,
                "period_seconds": gate.period_seconds,
                "permit_seconds": gate.permit_seconds,
            }
        )
        now = timezone.now()
        for number in range(BATCHES if slug == "tower" else 0):
            services.batch_create(
                actor="stage",
                gate=gate,
                name=f"load {number}",
                csv="\n".join(f"d{n:05d},run" for n in range(DEVICES)).encode(),
                opens_at=now,
                closes_at=now + timedelta(hours=4),
            )
    print(json.dumps({"gates": told}))


if __name__ == "__main__":
    main()
