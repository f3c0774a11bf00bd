"""The sessions of a peer, and one session's route explained."""

import re
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from poolsite import access, hotpath
from poolsite.operations.pages import principal_of
from queueing.dispatch import dispatcher as door
from queueing.dispatch import selectors
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import group_get
from queueing.dispatch.selectors.sessions import route_rows

PAGE_ROWS = 100
SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._:@+~-]{1,39}\Z")
PEER = re.compile(r"[fb]:[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")


@require_GET
def session_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?session=` explains one, `?peer=` lists those of a peer; both in the address."""
    principal = principal_of(request)
    group = group_get(principal, slug)
    session = request.GET.get("session", "").strip()[:81]
    peer = request.GET.get("peer", "").strip()[:43]
    after = request.GET.get("after", "")[:81]
    context: dict[str, Any] = {
        "group": group,
        "session": session,
        "peer": peer,
        "may_operate": access.decide(principal, "dispatch.operate", group).allowed,
        "missing": False,
    }
    try:
        context |= _explained(group, session) if session else _listed(group, peer, after)
    except hotpath.HotPathError:
        context["missing"] = True
    return render(request, "dispatch/sessions.html", context)


def _explained(group: Group, session: str) -> dict[str, Any]:
    story = selectors.session_story(group, session) if SESSION.match(session) else None
    return {"story": story, "unknown": story is None}


def _listed(group: Group, peer: str, after: str) -> dict[str, Any]:
    rows = hotpath.run(door.peers(group.slug))
    choices = [(row.key, row.name or row.id, row.is_front) for row in rows]
    known = {key for key, _, _ in choices}
    if not (PEER.match(peer) and peer in known):
        return {"choices": choices, "rows": []}
    page = hotpath.run(door.sessions_of(group.slug, peer, after, PAGE_ROWS))
    query = {"peer": peer, "after": page.after}
    return {
        "choices": choices,
        "rows": route_rows(page),
        "next_url": f"?{urlencode(query)}" if page.after else "",
        "back_url": f"?{urlencode({'peer': peer})}" if after else "",
    }
