"""A mark in Redis for a SQL server that answers queries but refuses writes.

The platform's health checks read it. SQL still answers queries on a full disk, but then an
incident's row can't be written either. So the code that writes history records the error here.
"""

from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.sql_away import sql_takes_nothing

KEY: Final = "history:refused"
KEPT_SECONDS: Final = 15  # drains try again every other second


def note(error: BaseException) -> bool:
    """Set the mark if SQL refuses writes, and return whether it does. Never raises."""
    if not sql_takes_nothing(error):
        return False
    text = str(error).strip().partition("\n")[0][:200]
    with suppress(RedisError, hotpath.HotPathError, OSError):
        hotpath.client().set(KEY, text, ex=KEPT_SECONDS)
    return True


def reason() -> str:
    """Return SQL's recent error when it refused writes, or "" if it accepts them."""
    return str(hotpath.client().get(KEY) or "")
