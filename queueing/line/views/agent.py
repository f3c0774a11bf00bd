"""An agent's console: their lines and rooms."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from poolsite.console.pages import principal_of
from queueing.line import pauses
from queueing.line.models import CannedReply
from queueing.line.selectors import consoles, own_history
from queueing.line.selectors.agent_page import first_snapshots
from queueing.line.selectors.attachments import files_policy
from queueing.line.views.common import agent_of


@require_GET
def agent_page(request: HttpRequest) -> HttpResponse:
    """Show the user's own console. A user who may serve but is no agent sees what to do."""
    principal = principal_of(request)
    agent = agent_of(principal)
    if agent is None:
        return render(request, "line/agent.html", {"agent": None})
    queues = list(agent.queues.order_by("position", "slug"))
    replies = CannedReply.objects.filter(desk=agent.desk).order_by("shortcut")
    page = {
        "user": agent.user_id,
        "name": agent.name,
        "capacity": agent.capacity,
        "calls": bool(agent.desk.callback_pool),
        "files": files_policy(agent.desk),
        "queues": [
            {
                "slug": queue.slug,
                "name": queue.name,
                "mode": queue.mode,
                "offer_seconds": queue.offer_seconds,
                "wrap_up_seconds": queue.wrap_up_seconds,
            }
            for queue in queues
        ],
        "replies": [{"shortcut": each.shortcut, "text": each.text} for each in replies],
        "reasons": [
            {"text": each.text, "words": each.words}
            for each in pauses.read_reasons(agent.desk.pause_reasons)
        ],
        "today": consoles.agent_day(agent, timezone.now()),
        "outcomes": [
            {"id": each.pk, "name": each.name, "tone": each.tone}
            for each in own_history.codes_of(agent)
        ],
        "outcome_required": agent.desk.outcome_required,
    }
    context = {
        "agent": agent,
        "queues": queues,
        "page": page,
        "first_snapshots": first_snapshots(agent, queues),
    }
    return render(request, "line/agent.html", context)
