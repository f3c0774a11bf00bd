"""Files of rooms: sent by visitors and agents, listed with URLs for one reader."""

from typing import Any

from django.http import HttpRequest
from ninja import Form, UploadedFile
from ninja.params import functions as param

from poolsite import access
from poolsite.access import principal_of_request
from poolsite.access.limiting import network_of, reached_limit
from poolsite.api.root import ProblemError
from queueing.line.api.agents import NAMED, agent_of, agents, own_room
from queueing.line.api.answers import AttachmentsOut, RoomMessageOut
from queueing.line.api.credentials import Serving, Visiting, check_size
from queueing.line.api.visits import VisitId, visit_row, visits
from queueing.line.models import Agent, Desk, Message, Visit
from queueing.line.schemas import BODY_LIMIT_BYTES, AgentAttachmentIn, AttachmentIn
from queueing.line.selectors.attachments import attachments_of
from queueing.line.services.attachments import MEGABYTE, attachment_send, too_large
from queueing.line.topics.visit import message_as_data

PER_MINUTE = 30  # uploads per network address, or per person
LIMIT_BYTES = 25 * MEGABYTE + BODY_LIMIT_BYTES  # for the largest setting, with the other fields
SENT: dict[int, Any] = {200: RoomMessageOut}
Content: Any = param.File(..., description="A JPEG, PNG, GIF or WebP image, or a PDF.")


class VisitingWithFile(Visiting):
    """`Visiting`, with a body as large as the desk's files. A larger body is refused unread."""

    body_limit = LIMIT_BYTES

    def __call__(self, request: HttpRequest) -> Any:
        visit = super().__call__(request)
        if visit is not None:
            _check_upload(request, visit.desk)
        return visit


class ServingWithFile(Serving):
    """`Serving`, with a body as large as the desk's files."""

    body_limit = LIMIT_BYTES

    def __call__(self, request: HttpRequest) -> Any:
        agent = super().__call__(request)
        if agent is not None:
            _check_upload(request, agent.desk)
        return agent


def _check_upload(request: HttpRequest, desk: Desk) -> None:
    if desk.attachment_mb:  # if the desk accepts no files, the service refuses
        try:
            check_size(request, desk.attachment_mb * MEGABYTE + BODY_LIMIT_BYTES)
        except ProblemError:
            raise too_large(desk.attachment_mb) from None
    principal = principal_of_request(request)
    is_person = principal.kind == "user"
    who = principal.id if is_person else network_of(access.client_address(request) or "")
    if who and reached_limit("line-file", who, PER_MINUTE, 60):
        raise ProblemError("too-many-requests", "too many files at once; wait a minute")


@visits.get(
    "/{visit}/attachments",
    response={200: AttachmentsOut},
    summary="List a room's files",
)
def get_attachments(request: HttpRequest, visit: str = VisitId) -> Any:
    """Files, oldest first. Each has a URL for this reader, which expires at `until`."""
    row = visit_row(request)
    return {"attachments": attachments_of(row, principal_of_request(request))}


@visits.post("/{visit}/attachments", auth=VisitingWithFile(), response=SENT, summary="Send a file")
def post_attachment(
    request: HttpRequest,
    given: Form[AttachmentIn],
    file: UploadedFile = Content,
    visit: str = VisitId,
) -> Any:
    """Send a file as the visitor, with or without text. Repeating an ID doesn't send it twice."""
    row = visit_row(request)
    return _send(request, row, Message.Author.VISITOR, given, file)


@agents.post(
    "/attachments",
    auth=ServingWithFile(),
    response=SENT,
    summary="Send a file",
    openapi_extra={"parameters": [NAMED]},
)
def post_agent_attachment(
    request: HttpRequest, given: Form[AgentAttachmentIn], file: UploadedFile = Content
) -> Any:
    """Send a file in one of the agent's own rooms. Repeating an ID doesn't send it twice."""
    me = agent_of(request)
    return _send(request, own_room(me, given.visit), Message.Author.AGENT, given, file, me)


def _send(
    request: HttpRequest,
    visit: Visit,
    author: str,
    given: AttachmentIn,
    file: UploadedFile,
    agent: Agent | None = None,
) -> Any:
    if {*request.POST} - {*type(given).model_fields} or {*request.FILES} - {"file"}:
        raise ProblemError("malformed", "The form has an unknown field.")
    said = attachment_send(
        visit=visit,
        author=author,
        client_id=given.id,
        text=given.text,
        name=file.name or "",
        content=file.chunks(),
        agent=agent,
    )
    return message_as_data(said.message)
