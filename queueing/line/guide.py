"""The guide to the first visitor: create a desk, a queue and an agent, then serve a visitor."""

from datetime import timedelta
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import access, console, hotpath
from poolsite.access import Principal
from poolsite.access.models import Account, Membership, Role, User
from poolsite.access.services import membership_set
from poolsite.console.goal_forms import with_short_name
from poolsite.console.goals import Data, Guide
from poolsite.people.guide import account_step, first_account
from queueing.line.forms.desks import DeskCreateForm
from queueing.line.forms.first import FirstAgentForm, FirstQueueForm
from queueing.line.models import Agent, Desk, Queue, Visit
from queueing.line.selectors import wallboard
from queueing.line.services import desks
from queueing.line.services.common import agents_at
from queueing.line.views.common import visible_desks

RECENT = timedelta(hours=1)


def register() -> None:
    """Register the goal. Called once, before the goals are first read."""
    console.register_goal(
        console.Goal(
            "visitor",
            gettext_lazy("First visitor"),
            gettext_lazy("Visitors wait in a queue of a desk until an agent is free."),
            "support_agent",
            4,
            (account_step(_account), _desk_step(), _queue_step(), _agent_step(), _visitor_step()),
            _served_desks,
            topic=_topic,
            ending="line/guide_ending.html",
            order=20,
        )
    )


def _desk_step() -> console.GoalStep:
    return console.GoalStep(
        "desk",
        gettext_lazy("Create a desk"),
        gettext_lazy("A service team with its queues and agents, such as “Support”."),
        "line.create",
        lambda guide: guide.subject,
        lambda _guide, desk: desk.name,
        link=lambda _guide, desk: reverse("line:settings", args=[desk.slug]),
        form=_desk_form,
        first=("name",),
        button=gettext_lazy("Create desk"),
        save=_create_desk,
    )


def _queue_step() -> console.GoalStep:
    return console.GoalStep(
        "queue",
        gettext_lazy("Create a queue"),
        gettext_lazy("Visitors with the same kind of question. Open all day; set hours later."),
        "line.configure",
        lambda guide: guide.things["desk"].queues.order_by("pk").first(),
        lambda _guide, queue: queue.name,
        thing="desk",
        link=lambda guide, queue: reverse(
            "line:queue", args=[guide.things["desk"].slug, queue.slug]
        ),
        form=lambda _guide, data: FirstQueueForm(with_short_name(data, Queue, "queue")),
        first=("name",),
        button=gettext_lazy("Create queue"),
        save=_create_queue,
    )


def _agent_step() -> console.GoalStep:
    return console.GoalStep(
        "agent",
        gettext_lazy("Add an agent"),
        gettext_lazy("The person who talks to visitors. Choose yourself to try it."),
        "line.configure",
        lambda guide: guide.things["desk"].agents.filter(archived_at=None).order_by("pk").first(),
        lambda _guide, agent: agent.name,
        thing="desk",
        link=lambda guide, agent: reverse(
            "line:agent_settings", args=[guide.things["desk"].slug, agent.user_id]
        ),
        form=_agent_form,
        button=gettext_lazy("Add agent"),
        save=_create_agent,
        template="line/guide_agent.html",
        context=lambda guide: {"invite_url": _invite_url(guide)},
    )


def _visitor_step() -> console.GoalStep:
    return console.GoalStep(
        "visitor",
        gettext_lazy("Serve the first visitor"),
        gettext_lazy(
            "Open the visitor page in a new tab and join. Then go online in the agent console: "
            "the visitor is assigned to you."
        ),
        "line.configure",
        _visit,
        lambda _guide, visit: _said(visit),
        thing="desk",
        link=lambda guide, visit: reverse(
            "line:story", args=[guide.things["desk"].slug, visit.public_id]
        ),
        template="line/guide_visitor.html",
        context=_now,
    )


# -- the current state -----------------------------------------------------------------------------


def _served_desks(principal: Principal) -> QuerySet[Desk]:
    """Return the user's desks at which people can serve: those of an account."""
    return visible_desks(principal).exclude(account=None)


def _account(guide: Guide) -> Account | None:
    """Return the desk's account, or the oldest account that the user may see."""
    desk: Desk | None = guide.subject
    return desk.account if desk is not None else first_account(guide)


def _visit(guide: Guide) -> Visit | None:
    """Return the newest visit that an agent has taken, or None. A waiting visit does not count."""
    if "agent" not in guide.things:
        return None
    desk: Desk = guide.things["desk"]
    visits = Visit.objects.filter(desk=desk).select_related("queue").order_by("-joined_at")
    found = visits.exclude(matched_at=None).first()
    if found is None and (live := _live(desk)) is not None and live["room"]:
        return visits.first()  # SQL has the visit already, and its room a moment later
    return found


def _said(visit: Visit) -> str:
    name = visit.name or _("A visitor")
    return _("%(name)s, served from %(queue)s") % {"name": name, "queue": visit.queue.name}


def _now(guide: Guide) -> dict[str, Any]:
    """Return who waits and what the agents do. `live` is None while Redis is unavailable."""
    desk: Desk | None = guide.things.get("desk")
    queue: Queue | None = guide.things.get("queue")
    agent: Agent | None = guide.things.get("agent")
    if desk is None or queue is None or agent is None:
        return {}
    own = agent.user_id == guide.principal.user_id
    return {"queue": queue, "agent": agent, "own": own, "live": _live(desk)}


def _live(desk: Desk) -> dict[str, Any] | None:
    try:
        board = wallboard.board(desk)
        records = list(agents_at(desk.slug))
    except hotpath.HotPathError:
        return None
    states = {wallboard.state_of(each) for each in records if each.state != "offline"}
    return {"waiting": board["waiting"], "room": "room" in states, "online": bool(states)}


def _topic(guide: Guide) -> str:
    """Return the desk's topic while the first visitor is awaited or has just come, else ""."""
    desk, visit = guide.things.get("desk"), guide.things.get("visitor")
    if desk is None or "agent" not in guide.things:
        return ""
    is_past = visit is not None and visit.joined_at < timezone.now() - RECENT
    return "" if is_past else f"line.desk:{desk.slug}"


def _reader(guide: Guide) -> User | None:
    """Return the user, if they may become a member who serves, or None."""
    may = access.decide(guide.principal, "access.people_change", guide.things["account"]).allowed
    return User.objects.filter(pk=guide.principal.user_id or 0).first() if may else None


def _invite_url(guide: Guide) -> str:
    account = guide.things.get("account")
    if account is None or not access.decide(guide.principal, "access.people_change", account):
        return ""
    return reverse("access:invite", args=[account.slug])


# -- the actions of the steps ----------------------------------------------------------------------


def _desk_form(guide: Guide, data: Data) -> DeskCreateForm:
    """Return a form for a desk of the account chosen above."""
    form = DeskCreateForm(with_short_name(data, Desk, "desk"))
    del form.fields["account"]
    return form


def _agent_form(guide: Guide, data: Data) -> FirstAgentForm:
    return FirstAgentForm(data, desk=guide.things["desk"], reader=_reader(guide))


def _create_desk(guide: Guide, form: Any) -> str:
    given = {**form.cleaned_data, "account": guide.things["account"]}
    desk = desks.desk_create(actor=guide.principal, **given)
    return _("Desk %(name)s created.") % {"name": desk.name}


def _create_queue(guide: Guide, form: Any) -> str:
    desk = guide.things["desk"]
    queue = desks.queue_create(actor=guide.principal, desk=desk, **form.cleaned_data)
    return _("Queue %(name)s created. It is open.") % {"name": queue.name}


def _create_agent(guide: Guide, form: Any) -> str:
    """Create an agent of every queue. The user becomes a member of the account first, if needed."""
    desk, account, user = guide.things["desk"], guide.things["account"], form.cleaned_data["user"]
    if user.pk == guide.principal.user_id:
        access.require(guide.principal, "access.people_change", account)
        rows = Membership.objects.filter(user=user, account=account)
        roles = set(rows.values_list("role", flat=True))
        if not roles:
            membership_set(user=user, account=account, roles=[Role.AGENT], actor=guide.principal)
    agent = desks.agent_create(
        actor=guide.principal,
        desk=desk,
        user=user,
        name=form.cleaned_data["name"],
        queues=desk.queues.all(),
    )
    return _("Agent %(name)s added.") % {"name": agent.name}
