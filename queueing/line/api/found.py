"""The parts of the desk of the address, or the refusal: another desk's look missing."""

from django.http import HttpRequest

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.api.root import ProblemError
from queueing.line.api.credentials import desk_of_request
from queueing.line.models import Agent, Queue, Visit


def may_configure(request: HttpRequest) -> bool:
    """Whether who asks may change the settings of the desk."""
    desk = desk_of_request(request)
    return access.decide(principal_of_request(request), "line.configure", desk).allowed


def queue_named(request: HttpRequest, slug: str) -> Queue:
    """The desk's queue of this slug. ProblemError unknown-queue."""
    rows = Queue.objects.select_related("desk__account", "overflow")
    found = rows.filter(desk=desk_of_request(request), slug=slug).first()
    if found is None:
        raise ProblemError("unknown-queue")
    return found


def agent_named(request: HttpRequest, user_id: int) -> Agent:
    """The desk's agent with this user ID, archived ones too. ProblemError unknown-agent."""
    rows = Agent.objects.select_related("desk__account", "user").prefetch_related("queues")
    found = rows.filter(desk=desk_of_request(request), user_id=user_id).first()
    if found is None:
        raise ProblemError("unknown-agent")
    return found


def visit_named(request: HttpRequest, public_id: str) -> Visit:
    """The desk's visit with this ID. ProblemError unknown-visit."""
    rows = Visit.objects.select_related("desk__account", "queue", "agent", "outcome_code")
    found = rows.filter(desk=desk_of_request(request), public_id=public_id).first()
    if found is None:
        raise ProblemError("unknown-visit")
    return found
