"""The lifespan protocol, answered and otherwise unused: daphne does not speak it."""

from starlette.types import Receive, Scope, Send


async def lifespan(scope: Scope, receive: Receive, send: Send) -> None:
    """Say yes to start-up and shutdown."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
