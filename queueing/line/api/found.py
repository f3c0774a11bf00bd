"""Finds the objects of the URL's desk. Another desk's objects look missing."""

from django.http import HttpRequest

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.root import ProblemError
from queueing.line.api.credentials import desk_of_request
from queueing.line.models import Agent, Queue, Visit


def may_configure(request: HttpRequest) -> bool:
    """Whether the caller may change the settings of the desk."""
    desk = desk_of_request(request)
    return access.decide(principal_of_request(request), "line.configure", desk).allowed


def queue_named(request: HttpRequest, slug: str) -> Queue:
    """Return the desk's queue with this slug. Raise ProblemError unknown-queue."""
    rows = Queue.objects.select_related("desk__account", "overflow")
    found = rows.filter(desk=desk_of_request(request), slug=slug).first()
    if found is None:
        raise ProblemError("unknown-queue")
    return found


def agent_named(request: HttpRequest, user_id: int) -> Agent:
    """Return the desk's agent with this user ID, even if archived.

    Raise ProblemError unknown-agent.
    """
    rows = Agent.objects.select_related("desk__account", "user").prefetch_related("queues")
    found = rows.filter(desk=desk_of_request(request), user_id=user_id).first()
    if found is None:
        raise ProblemError("unknown-agent")
    return found


def visit_named(request: HttpRequest, public_id: str) -> Visit:
    """Return the desk's visit with this ID. Raise ProblemError unknown-visit."""
    rows = Visit.objects.select_related("desk__account", "queue", "agent", "outcome_code")
    found = rows.filter(desk=desk_of_request(request), public_id=public_id).first()
    if found is None:
        raise ProblemError("unknown-visit")
    return found
