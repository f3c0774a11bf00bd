"""The sessions of a peer, and the explanation of a session's route."""

import re
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET

from poolsite import access, hotpath
from poolsite.console.pages import principal_of
from poolsite.console.templatetags.console import figure
from poolsite.moments import moment_of
from queueing.dispatch import dispatcher as commands
from queueing.dispatch import selectors
from queueing.dispatch.models import Group
from queueing.dispatch.selectors import GROUPS
from queueing.dispatch.selectors.peers import peer_of
from queueing.dispatch.selectors.sessions import route_rows

PAGE_ROWS = 100
SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}/[A-Za-z0-9._:@+~-]{1,39}\Z")
PEER_TIMES = ("since", "manual_since", "manual_until", "ejected_until")
PEER = re.compile(r"[fb]:[A-Za-z0-9][A-Za-z0-9._-]{0,39}\Z")


@require_GET
def session_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Explain the session `?session=`, or list the sessions of the peer `?peer=`."""
    principal = principal_of(request)
    group = GROUPS.get(principal, slug)
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
    peers = hotpath.run(commands.peers(group.slug))
    context: dict[str, Any] = {
        "choices": [(row.key, row.name or row.id, row.is_front) for row in peers],
        "rows": [],
    }
    told = peer_of(group, peer, peers) if PEER.match(peer) else None
    if told is None:
        return context
    page = hotpath.run(commands.sessions_of(group.slug, peer, after, PAGE_ROWS + 1))
    rows = route_rows(page)[:PAGE_ROWS]
    last = rows[-1].route.session if page.after and rows else ""
    return context | {
        "told": told | {name: _moment(told.get(f"{name}_us")) for name in PEER_TIMES},
        "running": selectors.running_upgrade(group),
        "page": {"slug": group.slug, "peer": told},
        "rows": rows,
        "as_of": moment_of(page.as_of_us),
        "shown": ngettext("%(n)s session", "%(n)s sessions", len(rows)) % {"n": figure(len(rows))},
        "next_url": f"?{urlencode({'peer': peer, 'after': last})}" if last else "",
        "back_url": f"?{urlencode({'peer': peer})}" if after else "",
    }


def _moment(us: int | None) -> datetime | None:
    return None if us is None else moment_of(us)
