"""Answers the lifespan protocol, which is not used otherwise: daphne does not support it."""

from starlette.types import Receive, Scope, Send


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    """Confirm start-up and shutdown."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
