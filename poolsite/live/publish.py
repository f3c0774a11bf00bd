"""Notifies watchers: a topic has changed, or one person has a message."""

import logging
from functools import partial
from typing import Any

from django.db import transaction
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.live import frames
from poolsite.live.topics import touch_channel

logger = logging.getLogger(__name__)
_UNPUBLISHED = "live: cannot publish to %s: %s"


def personal_channel(who: str) -> str:
    """Return the channel of one person. `who` is `user:<id>` or `visitor:<id>`.

    A Lua script may also publish to it. The message is the text of a `personal` frame.
    """
    return f"live:to:{who}"


def touch(address: str) -> None:
    """Wake a topic that has no script behind it, after the current transaction's commit.

    Never raises an error of Redis: the topic's safety read finds the change a few seconds later.
    """
    transaction.on_commit(partial(_publish, touch_channel(address), ""))


def personal(user_id: int | str, kind: str, data: Any) -> None:
    """Send one message to all sockets of a person, at once and past the coalescer.

    user_id: a user's primary key, or `visitor:<id>`. The message is sent once, without retries: a
    person who is not connected never sees it. What must not be missed is also the state of a topic.
    """
    text = frames.personal(kind, data)
    transaction.on_commit(partial(_publish, personal_channel(_who(user_id)), text))


async def atouch(address: str) -> None:
    """Like `touch`, but at once and from a coroutine."""
    channel = touch_channel(address)
    try:
        await hotpath.aclient().publish(channel, "")
    except (RedisError, OSError, hotpath.HotPathError) as error:
        logger.warning(_UNPUBLISHED, channel, error)


def _who(user_id: int | str) -> str:
    return f"user:{user_id}" if isinstance(user_id, int) or ":" not in user_id else user_id


def _publish(channel: str, text: str) -> None:
    try:
        hotpath.client().publish(channel, text)
    except (RedisError, OSError, hotpath.HotPathError) as error:
        logger.warning(_UNPUBLISHED, channel, error)
