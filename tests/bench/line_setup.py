"""A program that makes a desk with a line of visitors behind busy agents, on a migrated site.

line_setup.py <file> <visitors> <agents>    writes the waiting visitors and their tokens as JSON
"""

import json
import sys
from pathlib import Path

import poolsite  # noqa: F401  first: see poolsite/__init__.py

SLUG = "bench"
# A slow machine opens the last page minutes after the first; no visitor is given up meanwhile.
WAITS_FOR_ITS_PAGE = {"grace_seconds": 3_600, "room_grace_seconds": 3_600}


def main(path: str, visitors: str, agents: str) -> None:
    """Give each agent a visitor without a page; then add `visitors` waiting ones with tokens."""
    import django

    django.setup()
    from poolsite import hotpath
    from poolsite.access.models import Account
    from poolsite.moments import moment_of
    from queueing.line import desk as commands
    from queueing.line.models import Visit
    from queueing.line.services import desks
    from queueing.line.tokens import token_for

    account = Account.objects.create(slug=SLUG, name="Bench")
    desk = desks.desk_create(actor="bench", slug=SLUG, name="Bench", account=account)
    queue = desks.queue_create(
        actor="bench",
        desk=desk,
        slug=SLUG,
        name="Bench",
        max_length=1_000_000,
        **WAITS_FOR_ITS_PAGE,
    )
    serves = commands.AgentSettings(queues=[queue.pk], ttl_seconds=3_600)
    numbers = range(1_000_000, 1_000_000 + int(agents))
    to_run = [
        command
        for agent in numbers
        for command in (commands.agent_write(SLUG, agent, serves), commands.login(SLUG, agent))
    ]
    to_run += [commands.join(SLUG, f"{agent}room", queue.pk) for agent in numbers]
    hotpath.run_batch(to_run)
    ids = [f"page{number:08d}" for number in range(int(visitors))]
    standings = hotpath.run_batch([commands.join(SLUG, visit, queue.pk) for visit in ids])
    rows = [
        Visit(public_id=visit, desk=desk, queue=queue, joined_at=moment_of(standing.arrived_us))
        for visit, standing in zip(ids, standings, strict=True)
        if isinstance(standing, commands.Standing) and standing.answer == "waiting"
    ]
    Visit.objects.bulk_create(rows, batch_size=2_000)
    people = [
        {"visit": row.public_id, "token": token_for(row), "ahead": place}
        for place, row in enumerate(rows)
    ]
    told = {"queue": queue.pk, "agents": list(numbers), "people": people}
    Path(path).write_text(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
