"""A separate desk for the agent's page: queues whose visitors stay, colleagues online, replies.

A program for a database with what line_stage.py makes, run in the environment of the site.
"""

import json

import django

from tests.browser.stage import sessions_of

STAYS = 600  # seconds: visitors who join by the API send no heartbeats


def main() -> None:
    django.setup()
    from django.contrib.auth import get_user_model

    from poolsite import hotpath
    from poolsite.access.models import Account, Membership
    from queueing.line import desk as commands
    from queueing.line.models import CannedReply
    from queueing.line.services import desks, visits
    from queueing.line.services.desk_settings import skill_create

    account = Account.objects.get(slug="meadow")
    desk = desks.desk_create(actor="stage", slug="studio", name="Studio", account=account)
    skill_create(actor="stage", desk=desk, slug="delivery", name="Delivery")
    queues = {
        slug: desks.queue_create(
            actor="stage",
            desk=desk,
            slug=slug,
            name=slug.title(),
            ttl_seconds=STAYS,
            wrap_up_seconds=600 if slug == "wrapping" else 0,
        )
        for slug in (
            "slots",
            "handing",
            "replies",
            "reading",
            "wrapping",
            "parcels",
            "repairs",
            "long",
            "ordered",
        )
    }
    people = []
    for name, queue, capacity, skills in (
        ("an.ning", "slots", 3, {}),
        ("du.juan", "handing", 2, {}),
        ("fei.fei", "parcels", 3, {"delivery": 3}),
        ("gu.gu", "repairs", 1, {}),
        ("hua.mei", "replies", 1, {}),
        ("ju.hua", "reading", 2, {}),
        ("lan.hua", "wrapping", 2, {}),
        ("mu.lan", "long", 1, {}),
        ("ning.meng", "ordered", 1, {}),
    ):
        user = get_user_model().objects.create_user(name, email=f"{name}@example.org")
        people.append(user)
        Membership.objects.create(account=account, user=user, role="agent")
        desks.agent_create(
            actor="stage",
            desk=desk,
            user=user,
            name=name.replace(".", " ").title(),
            queues=[queues[queue]],
            capacity=capacity,
            skills=skills,
        )
    for user in people[2:4]:
        hotpath.run(commands.login(desk.slug, user.pk))
    visits.visit_join(queue=queues["repairs"], name="Quin")  # Gu Gu is full
    for shortcut, text in (
        ("reservation", "It was only a reservation. Your bank releases it by itself."),
        ("receipt", "Hello {visitor}, {agent} sends the receipt of order {order}."),
        ("refund-days", "A refund reaches your bank in 3 to 5 working days."),
        ("thanks", "Thank you for waiting."),
        *((f"more-{n}", f"Reply number {n}.") for n in range(100)),
    ):
        CannedReply.objects.create(desk=desk, shortcut=shortcut, text=text)
    print(json.dumps({"sessions": sessions_of(*people)}))


if __name__ == "__main__":
    main()
