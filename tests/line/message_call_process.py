"""A process in which an agent calls a visitor who left a message, for tests that kill it.

message_call_process.py call|end <desk slug>    make the desk if it does not exist; act
message_call_process.py recover <desk slug>     run the sweep and print the result as JSON
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def _make(slug: str) -> None:
    from poolsite.access.models import Account, User
    from queueing.line.models import Desk
    from queueing.line.services import desks
    from queueing.line.services.left_messages import message_leave
    from tests.numbers.people import make_pool

    if Desk.objects.filter(slug=slug).exists():
        return
    account = Account.objects.create(slug=f"{slug}-house", name=slug)
    first = 13700000000 + 10 * int("".join(filter(str.isdecimal, slug)))
    make_pool(f"{slug}-pool", account=account, numbers=2, first=first)
    desk = desks.desk_create(
        actor="test", slug=slug, name=slug, account=account, callback_pool=f"{slug}-pool"
    )
    queue = desks.queue_create(actor="test", desk=desk, slug=f"{slug}-help", name="Help")
    user = User.objects.create_user(slug, password=None)
    desks.agent_create(actor="test", desk=desk, user=user, name="Li", queues=[queue])
    message_leave(queue=queue, name="Zoe", contact="+8613900001111", text="", wants_call=True)


def _those(slug: str) -> dict[str, Any]:
    from queueing.line.models import Agent, LeftMessage

    messages = LeftMessage.objects.select_related("queue__desk__account")
    return {
        "agent": Agent.objects.select_related("desk").get(desk__slug=slug),
        "message": messages.get(queue__desk__slug=slug),
    }


def call(slug: str) -> None:
    """Press the button as the agent."""
    from queueing.line.services import message_calls

    _make(slug)
    message_calls.message_call(actor="test", **_those(slug))


def end(slug: str) -> None:
    """Press the button and hang up."""
    from queueing.line.services import message_calls

    call(slug)
    message_calls.message_call_end(actor="test", **_those(slug))


def recover(slug: str) -> None:
    """Run the sweep twice, and report what exists."""
    from numbers import pool as pool_commands
    from poolsite import hotpath
    from queueing.line.models import MessageCall
    from queueing.line.services import message_calls

    for _ in range(2):
        message_calls.sweep_message_calls(0, 1)
    figures = hotpath.run(pool_commands.show(f"{slug}-pool"))
    assert figures is not None
    calls = MessageCall.objects.filter(agent__desk__slug=slug)
    told = {
        "calls": [bool(each.number) for each in calls],
        "busy": figures.busy_up,
        "lent": figures.carried,
    }
    print(json.dumps(told))


def main(verb: str, *words: str) -> None:
    """Run one verb, without waiting for the next sweep."""
    import django

    django.setup()
    from queueing.line.services import message_calls

    message_calls.CONFIRM_SECONDS = message_calls.END_SECONDS = 0
    verbs: dict[str, Callable[..., None]] = {"call": call, "end": end, "recover": recover}
    verbs[verb](*words)


if __name__ == "__main__":
    main(*sys.argv[1:])
