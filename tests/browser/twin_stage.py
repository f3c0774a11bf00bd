"""Make two pools with numbers that are stored in two formats, as the migration leaves them.

A program for a migrated database, run in the environment of the site.
"""

import json

import django

LINES = 12


def main() -> None:
    django.setup()
    from django.utils import timezone

    from numbers import pool as commands
    from numbers import services
    from numbers.models import Number
    from poolsite import hotpath

    north = services.pool_create(actor="stage", slug="care-north", name="Care North")
    south = services.pool_create(actor="stage", slug="promo-south", name="Promo South")
    for place in range(LINES):
        national = f"1397700{place:04d}"
        keeper = Number.objects.create(
            pool=north,
            value=f"+86{national}",
            canonical=f"+86{national}",
            label=f"Desk {place + 1}",
            is_up=place % 3 != 0,
        )
        Number.objects.create(
            pool=south if place % 2 else north,
            value=national if place % 2 else f"86{national}",
            twin_of=keeper,
            label="From the old list" if place % 4 else "",
            quarantined_at=timezone.now(),
            quarantined_by="numbers.twins",
            quarantined_reason=f"twin of +86{national}",
        )
    for pool in (north, south):
        services.pool_reconcile(pool=pool, check=False)
    hotpath.run(
        commands.event("care-north", commands.Event.of("call", "+8613977000001", call_id="a"))
    )
    print(json.dumps({"lines": LINES}))


if __name__ == "__main__":
    main()
