"""The demo's desk: queues, agents, and a morning of visits for the charts."""

import random
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone

from poolsite.access.models import Account, ApiToken, User
from poolsite.access.services import membership_set, token_create, token_revoke, user_create
from poolsite.runtime.demo_data import ACTOR, DemoData, read_simulation
from queueing.line.models import Agent, CannedReply, Desk, Queue, Skill, Visit
from queueing.line.services import desks

DESK = "support"
KEY = "desks"
TOKEN_NAME = "demo desk"  # noqa: S105  a name
# slug, name, agents, visits an hour, mean seconds in the room, settings
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
SEED = 20260
PAST_HOURS = 4


def make_desk(data: DemoData) -> None:
    """Make the desk with all that belongs to it; what is there already stays as it is."""
    account = data.accounts["evergreen"]
    desk = Desk.objects.filter(slug=DESK).first()
    if desk is None:
        desk = desks.desk_create(actor=ACTOR, slug=DESK, name="Support floor", account=account)
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
    _make_agents(account, desk, queues)
    _make_past(desk, queues)
    data.simulation[KEY] = [_entry(desk, queues)]


def _entry(desk: Desk, queues: list[Queue]) -> dict[str, Any]:
    """What the simulator needs of the desk; its token is kept from the start before."""
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
    for lost in ApiToken.objects.filter(name=TOKEN_NAME, revoked_at=None):
        token_revoke(token=lost, actor=ACTOR, reason="its secret was lost")
    _, secret = token_create(
        name=TOKEN_NAME,
        account=desk.account,
        resources=[f"desk:{desk.slug}"],
        actions=["line.serve", "line.visit"],
        actor=ACTOR,
    )
    return secret


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


def _make_past(desk: Desk, queues: list[Queue]) -> None:
    """Visits since this morning, drawn from a fixed seed: Poisson arrivals, exponential rooms."""
    if Visit.objects.filter(desk=desk).exists():
        return
    dice = random.Random(SEED)  # noqa: S311  a demo's past, not a secret
    now = timezone.now()
    midnight = now.astimezone(ZoneInfo("Asia/Shanghai")).replace(hour=0, minute=0, second=0)
    rows: list[Visit] = []
    for queue, (_, _, count, per_hour, mean, _settings) in zip(queues, QUEUES, strict=True):
        agents = list(queue.agents.all())
        at = max(midnight, now - timedelta(hours=PAST_HOURS))
        while count and at < now - timedelta(minutes=10):
            at += timedelta(seconds=dice.expovariate(per_hour / 3600))
            rows.append(_past_visit(dice, desk, queue, dice.choice(agents), at, mean))
    with transaction.atomic():
        Visit.objects.bulk_create(rows, batch_size=500)  # unaudited: the demo's past


def _past_visit(
    dice: random.Random, desk: Desk, queue: Queue, agent: Agent, at: datetime, mean: float
) -> Visit:
    waited = timedelta(seconds=dice.expovariate(1 / 25))
    gave_up = dice.random() < 0.04
    served = timedelta(seconds=dice.expovariate(1 / mean))
    return Visit(
        public_id=f"past{dice.getrandbits(48):012x}",
        desk=desk,
        queue=queue,
        topic=dice.choice(TOPICS),
        joined_at=at,
        place_at_join=dice.randrange(4),
        matched_at=None if gave_up else at + waited,
        agent=None if gave_up else agent,
        why="" if gave_up else "fewest rooms longest idle",
        ended_at=at + waited + (timedelta() if gave_up else served),
        outcome=Visit.Outcome.LEFT if gave_up else Visit.Outcome.SERVED,
    )
