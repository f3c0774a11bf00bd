"""Make the data of the line's pages: a desk with two queues, agents, a supervisor.

A program for a migrated database, run in the environment of the site.
"""

import json
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import django
from django.utils import timezone

from tests.browser.stage import sessions_of
from tests.support.waiting import patient

if TYPE_CHECKING:
    from queueing.line.models import Queue

TTL_SECONDS = round(patient(12))  # sockets show every five seconds that a visitor is there


def past(queues: "Sequence[Queue]") -> None:
    """Write some days of visits and a message, so that reports, replay and lists have data."""
    from queueing.line.services.left_messages import message_leave
    from tests.line.past import past_shift, past_visit

    now = timezone.now()
    for queue in queues:
        agent = queue.agents.first()
        assert agent is not None
        for day in range(8, 0, -1):
            begin = now - timedelta(days=day)
            past_shift(agent, begin, begin + timedelta(hours=4))
            for place in range(12):
                at = begin + timedelta(minutes=20 * place)
                served_by = agent if place % 5 else None
                past_visit(queue, at, wait=5 + place, agent=served_by, room=300)
        message_leave(
            queue=queue, name="Zoe", contact="138 0000 1111", text="Please call.", wants_call=True
        )


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite.access.models import Account, Membership
    from queueing.line.models import CannedReply
    from queueing.line.services import desks, outcomes
    from tests.numbers.people import make_pool

    account = Account.objects.create(slug="meadow", name="Meadow Mail Order")
    make_pool("care-calls", account=account, numbers=2, first=13_820_000_000)
    desk = desks.desk_create(
        actor="stage", slug="care", name="Care", account=account, callback_pool="care-calls"
    )
    one = {
        "actor": "stage",
        "desk": desk,
        "ttl_seconds": TTL_SECONDS,
        # lost visitors are lost at once: the grace period has separate tests
        "room_grace_seconds": TTL_SECONDS,
        "agent_grace_seconds": TTL_SECONDS,
    }
    billing = desks.queue_create(**one, slug="billing", name="Billing", wrap_up_seconds=60)
    help_ = desks.queue_create(**one, slug="help", name="Help", topics=["Order", "Delivery"])
    offers = desks.queue_create(**one, slug="offers", name="Offers", mode="offer")
    desks.queue_create(**one, slug="quiet", name="Quiet")  # without agents: visitors who join wait
    desks.queue_create(
        **one,
        slug="night",
        name="Night",
        is_open=False,
        closed_text="We are back in the morning.",
        hours={"0": [["09:00", "18:00"]], "1": [["09:00", "12:00"], ["13:00", "18:00"]]},
    )
    floor = desks.queue_create(**one, slug="floor", name="Floor")
    returns = desks.queue_create(**one, slug="returns", name="Returns")
    # A server that restarts on a busy machine must not make people look gone. This has a separate
    # desk: after a loss of everything, a desk waits for as long before it matches.
    patient = desks.desk_create(actor="stage", slug="patient", name="Patient", account=account)
    refunds = desks.queue_create(
        actor="stage", desk=patient, slug="refunds", name="Refunds", ttl_seconds=120
    )
    hotline = desks.queue_create(**one, slug="hotline", name="Hotline")
    wishes = desks.queue_create(**one, slug="wishes", name="Wishes")
    letters = desks.queue_create(**one, slug="letters", name="Letters")
    photos = desks.queue_create(**one, slug="photos", name="Photos")
    papers = desks.queue_create(**one, slug="papers", name="Papers")
    watch = desks.queue_create(**one, slug="watch", name="Watch")
    gallery = desks.queue_create(**one, slug="gallery", name="Gallery")
    muted = desks.queue_create(**one, slug="muted", name="Muted")
    order = desks.queue_create(**one, slug="order", name="Order")
    again = desks.queue_create(**one, slug="again", name="Again", wrap_up_seconds=120)
    errands = desks.queue_create(**one, slug="errands", name="Errands", wrap_up_seconds=120)
    outcomes.outcomes_usual(actor="stage", desk=desk)
    CannedReply.objects.create(desk=desk, shortcut="thanks", text="Thank you for waiting.")
    CannedReply.objects.create(desk=desk, shortcut="receipt", text="I am sending the receipt.")
    users = get_user_model().objects
    people = []
    for name, queues, capacity in (
        ("li.jun", [help_], 1),
        ("wang.fang", [billing], 2),
        ("sun.hao", [offers], 1),
        ("ye.qing", [floor], 1),
        ("bai.lu", [floor], 1),
        ("he.yan", [returns], 2),
        ("luo.jing", [refunds], 1),
        ("cai.xin", [hotline], 1),
        ("mo.ran", [wishes], 1),
        ("tan.wei", [letters], 1),
        ("xu.ting", [photos], 1),
        ("fan.yi", [papers], 1),
        ("gu.nan", [watch], 1),
        ("pan.ye", [gallery], 1),
        ("qin.mo", [order], 1),
        ("su.bei", [order], 1),
        ("ru.yi", [muted], 1),
        ("song.yu", [again], 2),
        ("hu.na", [errands], 1),
    ):
        user = users.create_user(name, email=f"{name}@example.org")
        people.append(user)
        Membership.objects.create(account=account, user=user, role="agent")
        shown = name.replace(".", " ").title()
        desks.agent_create(
            actor="stage",
            desk=queues[0].desk,
            user=user,
            name=shown,
            queues=queues,
            capacity=capacity,
        )
    for name, role in (("zhao.min", "supervisor"), ("chen.li", "owner")):
        user = users.create_user(name, email=f"{name}@example.org")
        people.append(user)
        Membership.objects.create(account=account, user=user, role=role)
    past((help_, floor))
    print(json.dumps({"sessions": sessions_of(*people)}))


if __name__ == "__main__":
    main()
