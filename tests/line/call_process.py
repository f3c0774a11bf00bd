"""A process in which an agent calls back, for tests that kill it.

call_process.py call|end <desk slug>    make the desk if it does not exist; a room; act
call_process.py recover <desk slug> room|over    run the sweep and print the result as JSON

"over": the room ends before the sweep runs.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py

CALLEE = "+8613900001111"


def _make(slug: str) -> None:
    from poolsite.access.models import Account, User
    from queueing.line.models import Desk
    from queueing.line.services import desks, rooms, visits
    from tests.numbers.people import make_pool

    if Desk.objects.filter(slug=slug).exists():
        return
    account = Account.objects.create(slug=f"{slug}-house", name=slug)
    make_pool(f"{slug}-pool", account=account, numbers=2, first=13800000000 + _tail(slug) * 10)
    desk = desks.desk_create(
        actor="test", slug=slug, name=slug, account=account, callback_pool=f"{slug}-pool"
    )
    queue = desks.queue_create(actor="test", desk=desk, slug=f"{slug}-help", name="Help")
    user = User.objects.create_user(slug, password=None)
    agent = desks.agent_create(actor="test", desk=desk, user=user, name="Li", queues=[queue])
    rooms.agent_login(agent)
    assert visits.visit_join(queue=queue, contact=CALLEE).standing.answer == "room"


def _tail(slug: str) -> int:
    return int("".join(filter(str.isdecimal, slug)))


def _those(slug: str) -> tuple[Any, Any]:
    from queueing.line.models import Agent, Visit

    agent = Agent.objects.select_related("desk").get(desk__slug=slug)
    return agent, Visit.objects.select_related("desk").get(desk__slug=slug)


def call(slug: str) -> None:
    """Press the button as the agent."""
    from queueing.line.services import calling

    _make(slug)
    agent, visit = _those(slug)
    calling.call_back(actor="test", agent=agent, visit=visit)


def end(slug: str) -> None:
    """Press the button and hang up."""
    from queueing.line.services import calling

    call(slug)
    agent, visit = _those(slug)
    calling.call_end(actor="test", agent=agent, visit=visit.public_id)


def recover(slug: str, room: str) -> None:
    """Run the sweep twice, and report what exists."""
    from numbers import pool as pool_commands
    from poolsite import hotpath
    from queueing.line import desk as commands
    from queueing.line.services import calling, rooms

    agent, visit = _those(slug)
    if room == "over":
        rooms.room_finish(agent, visit.public_id)
    for _ in range(2):
        calling.sweep_calls(0, 1)
    calls = hotpath.run(commands.calls_of(slug, [visit.public_id]))
    figures = hotpath.run(pool_commands.show(f"{slug}-pool"))
    assert figures is not None
    told = {
        "calls": [call.state for call in calls],
        "number": bool(calls and calls[0].number),
        "busy": figures.busy_up,
        "lent": figures.carried,
    }
    print(json.dumps(told))


def main(verb: str, *words: str) -> None:
    """Run one verb, without waiting for the next sweep."""
    import django

    django.setup()
    from queueing.line.services import calling

    calling.CONFIRM_SECONDS = calling.END_SECONDS = 0.001
    verbs: dict[str, Callable[..., None]] = {"call": call, "end": end, "recover": recover}
    verbs[verb](*words)


if __name__ == "__main__":
    main(*sys.argv[1:])
