"""The push `hang up`: notifies a switch that one of its calls must end."""

import contextlib
import logging
from collections.abc import AsyncIterator, Callable

import orjson

from numbers.api.directory import PoolRef
from numbers.pool import PoolKeys
from poolsite.access import Principal, TokenScope
from poolsite.live.hub import hub_of_loop

logger = logging.getLogger(__name__)

Push = Callable[[bytes], None]


def names_of(principal: Principal) -> set[str]:
    """The switches that a credential is bound to: one, or none yet."""
    scope = principal.scope
    return {scope.switch} if isinstance(scope, TokenScope) and scope.switch else set()


@contextlib.asynccontextmanager
async def listening(pool: PoolRef, switches: set[str], push: Push) -> AsyncIterator[None]:
    """Call `push` with a frame for each call of these switches that must end.

    `switches` may grow meanwhile. A push is sent once or never: the answer to the next live list
    has the calls that a closed socket missed.
    """

    def heard(text: str) -> None:
        try:
            told = orjson.loads(text)
        except orjson.JSONDecodeError:
            logger.warning("numbers: nonsense on the hangup channel of %s", pool.slug)
            return
        if told.get("switch") in switches:
            push(
                orjson.dumps(
                    {
                        "push": "hang up",
                        "number": pool.spelled(str(told.get("number", ""))),
                        "call_id": told.get("call_id", ""),
                        "reason": told.get("reason", ""),
                    }
                )
            )

    async with hub_of_loop().wakes.listening([PoolKeys(pool.slug).hangups_channel], heard):
        yield
