"""The demo's desk: queues, agents, and a morning of visits for the charts."""

import os
from typing import Any

from poolsite.access.models import Account, User
from poolsite.access.services import membership_set, user_create
from poolsite.people.demo import token_anew
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation
from queueing.line.demo_past import Load, make_past
from queueing.line.models import Agent, CannedReply, Desk, Queue, Skill
from queueing.line.selectors.widgets import widget_of
from queueing.line.services import desks, outcomes
from queueing.line.services.widgets import widget_configure

DESK = "support"
CALLBACK_POOL = "retail-east"  # of the same tenant
KEY = "desks"
TOKEN_NAME = "demo desk"  # noqa: S105  a name
# slug, name, agents, visits per hour, mean seconds in the room, settings
QUEUES: tuple[tuple[str, str, int, int, float, dict[str, Any]], ...] = (
    ("support-billing", "Billing", 5, 40, 300, {"skills_relax_seconds": 60}),
    ("support-sales", "Sales", 4, 55, 220, {"wrap_up_seconds": 20}),
    ("support-technical", "Technical", 3, 25, 420, {}),
    (
        "support-night",
        "Night desk",
        0,
        0,
        300,
        {"hours": {str(day): [["20:00", "24:00"]] for day in range(7)}, "no_agent": "form"},
    ),
)
NAMES = (
    *("Xu Na", "Deng Wei", "Fan Bo", "Ma Lin", "Hu Jie", "Jin Yan", "He Lan", "Dai Jun"),
    *("Guo Min", "Qin Rui", "Cai Xin", "Peng Fei"),
)
TOPICS = ("An invoice", "A delivery", "My password", "A refund", "Opening hours", "An offer")
REPLIES = (
    ("hello", "Hello, thank you for waiting. What can I do for you?"),
    ("moment", "One moment please, I am looking it up."),
    ("bye", "Thank you for your visit. Have a good day!"),
)


def make_desk(data: DemoData) -> None:
    """Create the desk without its past. Existing objects stay unchanged."""
    account = data.accounts["evergreen"]
    desk = Desk.objects.filter(slug=DESK).first()
    if desk is None:
        desk = desks.desk_create(
            actor=ACTOR,
            slug=DESK,
            name="Support floor",
            account=account,
            callback_pool=CALLBACK_POOL,
        )
    queues = [
        Queue.objects.filter(slug=slug).first()
        or desks.queue_create(
            actor=ACTOR,
            desk=desk,
            slug=slug,
            name=name,
            topics=list(TOPICS),
            position=position,
            **settings,
        )
        for position, (slug, name, *_, settings) in enumerate(QUEUES)
    ]
    for slug, name in (("invoices", "Invoices"), ("contracts", "Contracts")):
        Skill.objects.get_or_create(desk=desk, slug=slug, defaults={"name": name})
    for shortcut, text in REPLIES:
        CannedReply.objects.get_or_create(desk=desk, shortcut=shortcut, defaults={"text": text})
    if not desk.outcome_codes.exists():
        outcomes.outcomes_usual(actor=ACTOR, desk=desk)
    _make_agents(account, desk, queues)
    _allow_shop(desk)
    data.simulation[KEY] = [_entry(desk, queues)]


def _allow_shop(desk: Desk) -> None:
    """Let the demo's example shop, at its current port, show the chat."""
    shop = os.environ.get("POOLSITE_DEMO_SHOP")
    if shop:
        others = [at for at in widget_of(desk).origins if not at.startswith("http://localhost:")]
        widget_configure(actor=ACTOR, desk=desk, origins=[*others, shop])


def fill_past() -> None:
    """Create the desk's past days, once."""
    desk = Desk.objects.filter(slug=DESK).first()
    if desk is not None:
        queues = {queue.slug: queue for queue in Queue.objects.filter(desk=desk)}
        make_past(desk, _loads([queues[slug] for slug, *_ in QUEUES]))


def _entry(desk: Desk, queues: list[Queue]) -> dict[str, Any]:
    """Return the desk's data for the simulator. An existing token is reused."""
    known = next((each for each in read_simulation().get(KEY, []) if each["slug"] == DESK), None)
    played = Agent.objects.filter(desk=desk, user__username__endswith=".desk")
    return {
        "slug": DESK,
        "token": known["token"] if known else _token(desk),
        "agents": list(played.order_by("user_id").values_list("user_id", flat=True)),
        "queues": [
            {
                "slug": queue.slug,
                "visits_per_hour": per_hour,
                "mean_room_seconds": mean,
                "topics": list(TOPICS),
            }
            for queue, (_, _, count, per_hour, mean, _s) in zip(queues, QUEUES, strict=True)
            if count
        ],
    }


def _token(desk: Desk) -> str:
    return token_anew(
        TOKEN_NAME,
        desk.account,
        resources=[f"desk:{desk.slug}"],
        actions=["line.serve", "line.visit"],
    )


def _make_agents(account: Account, desk: Desk, queues: list[Queue]) -> None:
    person = User.objects.filter(username="li.jun").first()
    if person is not None:
        _agent(desk, person, "Li Jun", queues[:2], capacity=2)
    names = iter(NAMES)
    for queue, (_, _, count, *_rest) in zip(queues, QUEUES, strict=True):
        for name in [next(names) for _ in range(count)]:
            username = name.lower().replace(" ", ".") + ".desk"
            user = User.objects.filter(username=username).first()
            if user is None:
                user = user_create(username=username, actor=ACTOR, full_name=name)
                membership_set(user=user, account=account, roles=["agent"], actor=ACTOR)
            _agent(desk, user, name, [queue], capacity=1)


def _agent(desk: Desk, user: User, name: str, queues: list[Queue], capacity: int) -> None:
    if Agent.objects.filter(user=user).exists():
        return
    found = User.objects.get(pk=user.pk)
    desks.agent_create(
        actor=ACTOR,
        desk=desk,
        user=found,
        name=name,
        queues=queues,
        capacity=capacity,
        skills={"invoices": 2} if queues[0].slug == "support-billing" else {},
    )


def _loads(queues: list[Queue]) -> list[Load]:
    return [
        Load(queue, list(queue.agents.select_related("user")), per_hour, mean, TOPICS)
        for queue, (_, _, count, per_hour, mean, _settings) in zip(queues, QUEUES, strict=True)
        if count
    ]
