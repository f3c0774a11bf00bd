"""The line's part of the hot lane: visitors' polls, the most frequent calls, bypass Django."""

from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from poolsite import access, hotpath, live
from poolsite.access import Principal, Thing, VisitorScope
from poolsite.api import lane
from poolsite.api.problems import kind_of_refusal, problem_response
from poolsite.api.reading import BodyReader, MalformedError
from queueing.line import desk as commands
from queueing.line.models import Desk
from queueing.line.schemas import BODY_LIMIT_BYTES, BeatIn
from queueing.line.services import keeping
from queueing.line.services.beats import visit_beat
from queueing.line.topics.scope import TopicScope, visit_place
from queueing.line.topics.standing import standing_as_data

BEAT_PATH = "/api/v1/visits/{visit}/beat"
_BODY: BodyReader[BeatIn] = BodyReader(BeatIn)


def register() -> None:
    """Register the hot routes. Called once, by poolsite.asgi."""
    lane.register(BEAT_PATH, post_beat)


async def post_beat(request: Request) -> Response:
    """Record that the visitor is present. Accepts tokens only: cookies give no access here."""
    visit = request.path_params["visit"]
    if not any(name == b"authorization" for name, _ in request.scope["headers"]):
        return problem_response("unauthenticated")
    principal = await access.principal_of_scope(request.scope)
    desk, refused = await _desk(principal, visit)
    if refused is not None:
        return refused
    try:
        given = _BODY.read_one(await lane.read_body(request, BODY_LIMIT_BYTES) or b"{}")
    except MalformedError as error:
        return problem_response("malformed", str(error))
    standing = await hotpath.arun(commands.beat(desk, visit))
    keeping.heard(desk)
    if standing.answer == "gone":  # ended, or lost with Redis: SQL and the signed place decide
        standing = await live.in_thread(_beat_by_sql, desk, visit, given.place)
    data: dict[str, Any] = await live.in_thread(standing_as_data, visit, standing)
    return Response(orjson.dumps({**data, "visit": visit}), media_type="application/json")


async def _desk(principal: Principal, visit: str) -> tuple[str, Response | None]:
    """Return the visit's desk, or the refusal."""
    if not principal.is_authenticated:
        return "", problem_response("unauthenticated")
    scope = principal.scope
    if isinstance(scope, VisitorScope):
        thing = Thing("visit", visit, scope.account_id)
        desk = scope.desk
    else:
        place: TopicScope | None = await live.in_thread(visit_place, visit)
        if place is None:
            return "", problem_response("unknown-visit")
        thing, desk = place.thing, place.desk
    decision = access.decide(principal, "line.visit", thing)
    if not decision:
        return "", problem_response(kind_of_refusal(decision, "unknown-visit"))
    return desk, None


def _beat_by_sql(desk: str, visit: str, place: str) -> commands.Standing:
    found = Desk.objects.filter(slug=desk).first()
    return (
        commands.Standing("gone")
        if found is None
        else visit_beat(desk=found, visit=visit, place=place)
    )
