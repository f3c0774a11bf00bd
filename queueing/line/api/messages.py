"""A desk's left messages: listed, answered, and called back by an agent of the desk."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Query, Router
from ninja.params import functions as param
from pydantic import Field

from poolsite.access import principal_of_request
from poolsite.api.pages import Page, PageIn, page
from poolsite.api.reading import Moment, NothingIn
from poolsite.api.root import ProblemError
from poolsite.moments import iso
from queueing.line.api.answers_desk import LeftMessageOut
from queueing.line.api.credentials import AtDesk, desk_of_request
from queueing.line.api.desks import Slug
from queueing.line.api.found import queue_named
from queueing.line.models import Agent, LeftMessage, MessageCall
from queueing.line.selectors.messages import messages_of, with_text
from queueing.line.services import left_messages, message_calls

messages = Router(tags=["line"])
READ, ANSWER = AtDesk("line.messages"), AtDesk("line.answer")
KEY_LIMIT = 2**63
ONE: dict[int, Any] = {200: LeftMessageOut}
Message: Any = param.Path(..., ge=1, lt=KEY_LIMIT, description="The message's id.")
Named: Any = param.Query(
    None, ge=1, lt=2**31, description="User ID of the agent who calls. Required with a token."
)


class LeftMessagesIn(PageIn):
    """The filters of the list of left messages."""

    handled: bool | None = Field(None, description="Only handled, or only unhandled messages.")
    queue: str = Field("", max_length=40, description="Only messages to this queue (slug).")
    q: str = Field(
        "", max_length=80, description="Only messages with this text in name, contact or message."
    )
    left_from: Moment | None = Field(
        None, description="Only messages that were left at this time or later."
    )
    left_until: Moment | None = Field(
        None, description="Only messages that were left before this time."
    )


@messages.get(
    "/{slug}/left-messages",
    auth=READ,
    response={200: Page[LeftMessageOut]},
    summary="List left messages",
)
def list_left_messages(request: HttpRequest, asked: Query[LeftMessagesIn], slug: str = Slug) -> Any:
    """The messages that visitors left, newest first."""
    rows = messages_of(desk_of_request(request), every=True).select_related("call__agent")
    if asked.handled is not None:
        rows = rows.filter(handled_at__isnull=not asked.handled)
    if asked.queue:
        rows = rows.filter(queue=queue_named(request, asked.queue))
    if asked.q:
        rows = with_text(rows, asked.q)
    if asked.left_from is not None:
        rows = rows.filter(at__gte=asked.left_from)
    if asked.left_until is not None:
        rows = rows.filter(at__lt=asked.left_until)
    return page(request, asked, rows, _message)


@messages.post(
    "/{slug}/left-messages/{message}/handled",
    auth=ANSWER,
    response=ONE,
    summary="Mark a left message as handled",
)
def post_handled(
    request: HttpRequest, given: NothingIn, message: int = Message, slug: str = Slug
) -> Any:
    """Mark the message as handled and end its call. If repeated, `handled_by` stays the same."""
    return _after(left_messages.message_handle, request, _found(request, message))


@messages.post(
    "/{slug}/left-messages/{message}/reopened",
    auth=ANSWER,
    response=ONE,
    summary="Reopen a left message",
)
def post_reopened(
    request: HttpRequest, given: NothingIn, message: int = Message, slug: str = Slug
) -> Any:
    """Mark the message as not handled. Repeating it returns the same answer."""
    return _after(left_messages.message_reopen, request, _found(request, message))


@messages.post(
    "/{slug}/left-messages/{message}/call",
    auth=ANSWER,
    response=ONE,
    summary="Call back the sender of a left message",
)
def post_call(
    request: HttpRequest,
    given: NothingIn,
    message: int = Message,
    slug: str = Slug,
    agent: int | None = Named,
) -> Any:
    """Claim a number of the desk's pool for the call. Repeating it returns the same call.

    The caller is an agent of the desk: the logged-in person, or the agent that a token names.
    """
    found, caller = _found(request, message), _caller(request, agent)
    return _after(message_calls.message_call, request, found, agent=caller)


@messages.post(
    "/{slug}/left-messages/{message}/call-end",
    auth=ANSWER,
    response=ONE,
    summary="End a callback to the sender of a left message",
)
def post_call_end(
    request: HttpRequest,
    given: NothingIn,
    message: int = Message,
    slug: str = Slug,
    agent: int | None = Named,
) -> Any:
    """Return the number. Repeating it, or having no call, returns the same answer."""
    found, caller = _found(request, message), _caller(request, agent)
    return _after(message_calls.message_call_end, request, found, agent=caller)


def _found(request: HttpRequest, key: int) -> LeftMessage:
    """Return the desk's message in its current state. Another desk's message looks missing."""
    rows = LeftMessage.objects.filter(queue__desk=desk_of_request(request))
    found = rows.select_related("queue__desk__account", "call__agent").filter(pk=key).first()
    if found is None:
        raise ProblemError("unknown-message")
    return found


def _after(
    verb: Callable[..., object], request: HttpRequest, found: LeftMessage, **who: Agent
) -> dict[str, Any]:
    """Run a service on the message and return its new state."""
    verb(actor=principal_of_request(request), message=found, **who)
    return _message(_found(request, found.pk))


def _caller(request: HttpRequest, named: int | None) -> Agent:
    """Return the calling agent. `named` only counts for a token: a person calls for themselves."""
    principal = principal_of_request(request)
    user = principal.user_id if principal.kind == "user" else named
    rows = Agent.objects.filter(desk=desk_of_request(request), archived_at=None)
    agent = rows.select_related("desk__account").filter(user_id=user or 0).first()
    if agent is None:
        raise ProblemError("unknown-agent", _("Only agents of this desk can call visitors."))
    return agent


def _message(row: LeftMessage) -> dict[str, Any]:
    call: MessageCall | None = getattr(row, "call", None)
    return {
        "id": row.pk,
        "at": row.at.isoformat(),
        "queue": row.queue.slug,
        "name": row.name,
        "contact": row.contact,
        "text": row.text,
        "wants_call": row.wants_call,
        "handled_at": iso(row.handled_at),
        "handled_by": row.handled_by,
        "call": _call(call) if call is not None else None,
    }


def _call(call: MessageCall) -> dict[str, Any]:
    return {
        "state": call.state,
        "callee": call.callee,
        "number": call.number,
        "agent": call.agent.user_id,
        "name": call.agent.name,
        "began_at": call.began_at.isoformat(),
    }
