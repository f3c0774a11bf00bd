"""The WebSockets of front-ends and instances, `/ws/dispatch/{group}/front/` and `…/back/`.

These are bare ASGI applications. docs/reference/dispatch/protocol.md describes the protocol.
"""

import logging
from typing import Any

from django.db import Error as DatabaseError
from redis.exceptions import RedisError

from poolsite import access, hotpath, tracing
from poolsite.access import Decision
from poolsite.live.closing import close_socket
from poolsite.live.routing import socket
from queueing.dispatch.frames import codec_of
from queueing.dispatch.links.closes import TRY_LATER
from queueing.dispatch.links.delivery import Send
from queueing.dispatch.links.directory import group_ref
from queueing.dispatch.links.hub import hub_of_loop
from queueing.dispatch.links.socket import PeerSocket, Receive

logger = logging.getLogger(__name__)

ACTION = "dispatch.link"


async def peer_application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Serve a peer's socket from the handshake to the end."""
    await receive()
    offered = scope.get("subprotocols") or []
    codec = codec_of(offered)
    if codec is None or not access.origin_allowed(scope):
        await send({"type": "websocket.close", "code": 4403})  # before accept: seen as HTTP 403
        return
    chosen = codec.subprotocol if offered else None
    await send({"type": "websocket.accept", "subprotocol": chosen})
    path = scope["url_route"]["kwargs"]
    try:
        with tracing.span(f"websocket {ACTION}", "server", parent=tracing.context_of(scope)):
            principal = await access.principal_of_scope(scope)
            group = await group_ref(str(path["slug"]))
    except (RedisError, OSError, DatabaseError, hotpath.HotPathError):
        logger.warning("dispatch: rights cannot be read", exc_info=True)
        await close_socket(send, TRY_LATER, "rights cannot be read")
        return
    decision = access.decide_found(principal, ACTION, group)
    if not decision or group is None:
        await close_socket(send, decision.socket_code, _REASONS.get(decision, ""))
        return
    side = str(path["side"])
    await PeerSocket(hub_of_loop(), group, side, codec, principal, receive, send).run()


_REASONS = {
    Decision.LOGIN: "no valid token",
    Decision.FORBIDDEN: "this token may not link to the group",
    Decision.HIDDEN: "no such group",
}

websocket_urlpatterns = [
    socket(
        r"^ws/dispatch/(?P<slug>[a-z0-9-]{1,40})/(?P<side>front|back)/$",
        peer_application,
    ),
]
