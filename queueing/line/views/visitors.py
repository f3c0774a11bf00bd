"""Visitors: a visit's story for staff, blocked addresses, erasing a visitor's data."""

from datetime import timedelta
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from poolsite import access, hotpath
from poolsite.access import Principal
from poolsite.console.pages import principal_of
from poolsite.console.tables import key_of
from poolsite.console.verbs import act
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.forms.desks import EraseForm
from queueing.line.models import BlockedVisitor, Desk, Visit
from queueing.line.selectors import stories
from queueing.line.services import desk_settings, erasing, guests
from queueing.line.topics.scope import may_read, place_of
from queueing.line.views.common import cleaned, desk_of, tabs
from queueing.line.views.outcomes import set_outcome

SAID = ("visitor", "agent", "supervisor")  # lines that both sides can read
BLOCK_DAYS = {"1": 1, "7": 7, "30": 30, "": None}


@require_GET
def visit_story(request: HttpRequest, slug: str, visit: str) -> HttpResponse:
    """Show a visit from joining to its end, with its messages; live while it runs."""
    principal = principal_of(request)
    found = (
        Visit.objects.filter(desk__slug=slug, public_id=visit)
        .select_related("queue", "agent", "desk__account", "rating", "outcome_code")
        .first()
    )
    place = None if found is None else place_of(found)
    access.enforce(may_read(principal, place, notes=True), "line.view")
    if found is None:
        raise Http404
    desk = found.desk
    shared = tabs(principal, desk)
    may_join = shared["may_supervise"] and found.ended_at is None
    lines = stories.story(found, principal)
    context = {
        **shared,
        **_rooms(found),
        "visit": found,
        "story": lines,
        "told_range": stories.told_range(found),
        "said": sum(line.look in SAID for line in lines),
        "agents": desk.agents.filter(archived_at=None),
        "queues": desk.queues.all(),
        "outcomes": desk.outcome_codes.filter(archived_at=None),
        "topic": f"line.room:{found.public_id}",
        "guest_page": _guest_page(principal, found) if may_join else None,
    }
    return render(request, "line/story.html", context)


def _rooms(visit: Visit) -> dict[str, Any]:
    """Return the rooms and their total length.

    While a room is open, `rooms_since` is when the total would have begun.
    """
    rooms = list(visit.rooms.select_related("agent", "queue").order_by("began_at"))
    lasted = sum(room.seconds or 0 for room in rooms)
    running = next((room.began_at for room in rooms if room.ended_at is None), None)
    return {
        "rooms": rooms,
        "rooms_seconds": lasted if rooms else None,
        "rooms_since": None if running is None else running - timedelta(seconds=lasted),
    }


def _guest_page(principal: Principal, visit: Visit) -> dict[str, Any]:
    """Return the data of the card for a supervisor in the room."""
    by = guests.identity_of(principal)
    standing = hotpath.run(commands.place(visit.desk.slug, visit.public_id))
    serving = visit.desk.agents.filter(user_id=standing.agent or 0).first()
    seat = visit.desk.agents.filter(user_id=principal.user_id or 0, archived_at=None).first()
    return {
        "desk": visit.desk.slug,
        "visit": visit.public_id,
        "visitor": visit.name,
        "agent": serving.name if serving is not None else "",
        "joined": visit.guests.filter(by=by, left_at=None).exists(),
        "may_take_over": seat is not None and seat != serving,
    }


@require_GET
def visitor_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the blocked addresses, and the form that erases a visitor."""
    principal = principal_of(request)
    desk = desk_of(principal, slug, "line.configure")
    context = {
        **tabs(principal, desk),
        "tab": "visitors",
        "form": EraseForm(),
        "blocked": desk.blocked_visitors.order_by("-created_at")[:200],
        "now": timezone.now(),
    }
    return render(request, "line/visitors.html", context)


@require_POST
def visitor_act(request: HttpRequest, slug: str) -> HttpResponse:
    """Run one of the verbs: erase (a contact, or one visit), outcome, block, unblock."""
    principal = principal_of(request)
    verb = request.POST.get("verb", "")
    action = "line.erase" if verb == "erase" else "line.supervise"
    desk = desk_of(principal, slug, action)
    visit = request.POST.get("visit", "")[:32]
    done = act(request, VERBS, desk)
    if visit and (verb != "erase" or done):
        return redirect("line:story", slug=desk.slug, visit=visit)
    may_configure = access.decide(principal, "line.configure", desk).allowed
    return redirect("line:visitors" if may_configure else "line:floor", slug=desk.slug)


def _erase(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    visit = request.POST.get("visit", "")[:32]
    given: dict[str, Any] = {"visit": visit, "reason": request.POST.get("reason", "")[:200]}
    if not visit:
        given = cleaned(EraseForm(request.POST))
    done = erasing.visitor_erase(actor=principal, desk=desk, **given)
    words: str = ngettext(
        "%(n)s visit erased, including %(m)s messages and %(l)s left messages.",
        "%(n)s visits erased, including %(m)s messages and %(l)s left messages.",
        done.visits,
    )
    return words % {"n": done.visits, "m": done.messages, "l": done.left_messages}


def _block(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    key = request.POST.get("key", "")[:80]
    visit = Visit.objects.filter(desk=desk, public_id=request.POST.get("visit", "")[:32]).first()
    if visit is not None:
        key = visit.address
        if not key:
            raise LineError(
                "malformed", _("This visit came through the API and has no address to block.")
            )
    days = BLOCK_DAYS.get(request.POST.get("days", ""))
    until = timezone.now() + timedelta(days=days) if days else None
    reason = request.POST.get("reason", "")[:200]
    desk_settings.visitor_block(actor=principal, desk=desk, key=key, reason=reason, until=until)
    return _("Address %(key)s blocked.") % {"key": key}


def _unblock(principal: Principal, desk: Desk, request: HttpRequest) -> str:
    rows = BlockedVisitor.objects.filter(desk=desk).select_related("desk")
    row = rows.filter(pk=key_of(request, "id") or 0).first()
    if row is None:
        raise LineError("malformed", _("Blocked visitor not found."))
    desk_settings.visitor_unblock(actor=principal, blocked=row)
    return _("Address unblocked. It can join again.")


VERBS = {"erase": _erase, "outcome": set_outcome, "block": _block, "unblock": _unblock}
