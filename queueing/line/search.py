"""Search for desks, queues, agents, and visitors with their conversations."""

from collections.abc import Iterable

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from poolsite import access, console, dates
from poolsite.access import Principal
from poolsite.console import Found
from poolsite.console.matching import named
from poolsite.console.palette import Offer, register_offer
from poolsite.console.registry import Follow
from queueing.line.models import Agent, Desk, Queue, Visit

ID_LENGTH = 6  # minimal length of a visit's ID prefix
AGENT_NAMES = ("name", "user__first_name", "user__last_name", "user__username")


def register() -> None:
    """Register the search. Called once, by AppConfig.ready()."""
    console.register_search("line", find)
    words = gettext_lazy("New desk…")
    register_offer(Offer("line.new", words, "line:desk_create", "add", "line.create"))


def find(principal: Principal, text: str, limit: int) -> Iterable[Found]:
    """Find desks, queues and agents by name, and visits by ID, exact name or exact contact."""
    if not access.decide(principal, "line.view"):
        return []
    desks = access.visible(Desk.objects.all(), principal, "line.view")
    found = [
        _desk(principal, place, row)
        for place, row in named(desks.order_by("slug"), text, ("name", "slug"), limit)
    ]
    queues = Queue.objects.filter(desk__in=desks).select_related("desk").order_by("slug")
    found += [_queue(place, row) for place, row in named(queues, text, ("name", "slug"), limit)]
    agents = Agent.objects.filter(desk__in=desks, archived_at=None).select_related("desk", "user")
    found += [
        _agent(principal, place, row)
        for place, row in named(agents.order_by("name"), text, AGENT_NAMES, limit)
    ]
    return found + _visits(desks, text, limit)


def _url(name: str, slug: str) -> str:
    return reverse(f"line:{name}", args=[slug])


def _desk(principal: Principal, place: int, row: Desk) -> Found:
    pages = [("floor", _("Floor"), "groups"), ("reports", _("Reports"), "bar_chart")]
    pages.append(("visitors", _("Visitors"), "person_search"))
    if access.decide(principal, "line.configure", row):
        pages.append(("settings", _("Settings"), "settings"))
    return Found(
        _("Desk"),
        row.name,
        row.slug,
        _url("wallboard", row.slug),
        exact=place == 0,
        group="desks",
        icon="support_agent",
        key=f"desk:{row.slug}",
        rank=place,
        follow=[Follow("pages", word, _url(name, row.slug), icon) for name, word, icon in pages],
    )


def _queue(place: int, row: Queue) -> Found:
    return Found(
        _("Queue"),
        row.name,
        _("Queue of %(desk)s") % {"desk": row.desk.name},
        _url("floor", row.desk.slug),
        exact=place == 0,
        group="desks",
        icon="groups",
        key=f"queue:{row.slug}",
        rank=place,
        chip="" if row.is_open else _("Closed"),
    )


def _agent(principal: Principal, place: int, row: Agent) -> Found:
    url = _url("floor", row.desk.slug)
    if access.decide(principal, "line.configure", row.desk):
        url = reverse("line:agent_settings", args=[row.desk.slug, row.user_id])
    return Found(
        _("Agent"),
        row.user.display_name,
        _("Agent of %(desk)s") % {"desk": row.desk.name},
        url,
        exact=place == 0,
        group="people",
        icon="person",
        key=f"user:{row.user_id}",
        rank=place,
    )


def _visits(desks: QuerySet[Desk], text: str, limit: int) -> list[Found]:
    who = Q(name=text) | Q(contact=text) | Q(public_id=text)
    if len(text) >= ID_LENGTH:
        who |= Q(public_id__startswith=text)
    visits = Visit.objects.filter(who, desk__in=desks).select_related("desk", "queue")
    return [
        Found(
            _("Visitor"),
            row.name or row.public_id,
            f"{row.queue.name} · {dates.moment(row.joined_at)}",
            reverse("line:story", args=[row.desk.slug, row.public_id]),
            exact=text in (row.public_id, row.contact, row.name),
            group="conversations",
            icon="chat_bubble",
            key=f"visit:{row.public_id}",
            chip=row.get_outcome_display() or _("running"),
        )
        for row in visits.order_by("-pk")[:limit]
    ]
