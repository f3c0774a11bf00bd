"""Make a pool with numbers of every health, a rule that has acted, and spam labels.

A program for a migrated database, run in the environment of the site. It prints JSON.
"""

import json
from datetime import timedelta

import django

POOL = "health-east"
NUMBERS = 180
FIRST = 8613911100000


def main() -> None:
    django.setup()
    from django.db import transaction
    from django.utils import timezone

    from numbers import services
    from numbers.models import CallRecord
    from numbers.services import health_counting
    from numbers.services.health_acting import health_tick
    from numbers.services.health_rules import health_rule_create
    from numbers.services.spam_labels import spam_labels_add

    count_ended = transaction.atomic(health_counting.count_ended)
    now = timezone.now()
    pool = services.pool_create(actor="stage", slug=POOL, name="Health East")
    silent = services.pool_create(actor="stage", slug="health-silent", name="Health Silent")
    values = [f"+{FIRST + place}" for place in range(NUMBERS)]
    services.numbers_add(actor="stage", pool=pool, values=values)
    records = []
    for place, value in enumerate(values):
        calls = 8 if place % 11 == 0 else 30
        answered = calls * (place % 20) // 24
        records += [
            CallRecord(
                pool=pool,
                number=value,
                switch=f"fs-0{place % 3 + 1}",
                started_at=now - timedelta(minutes=call, seconds=90),
                ended_at=now - timedelta(minutes=call),
                answered=None if call % 9 == 8 else call < answered,
                talk_seconds=3 + call * 7 if call < answered and call % 9 != 8 else None,
            )
            for call in range(calls)
        ]
    count_ended(pool.pk, records)
    count_ended(
        silent.pk,
        [CallRecord(pool=silent, number="138", started_at=now, ended_at=now) for _ in range(20)],
    )
    health_rule_create(
        actor="stage",
        pool=pool,
        name="Low answer rate",
        least_calls=20,
        threshold=10.0,
        daily_limit=4,
    )
    rows = [
        {"number": value, "source": source, "label": "Spam risk", "seen_at": now.isoformat()}
        for source in ("Hiya", "TrueCaller")
        for value in values[:6]
    ]
    spam_labels_add(actor="stage", pool=pool, rows=enumerate(rows, 1))
    health_tick(now)
    print(json.dumps({"numbers": values}))


if __name__ == "__main__":
    main()
