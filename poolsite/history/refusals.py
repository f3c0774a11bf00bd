"""That SQL answers and takes no writes: a mark in Redis, for those who judge the platform's health.

A full disk does not keep SQL from answering a query, and what cannot be written cannot be an
incident's row either. So those who write history say what they were told.
"""

from contextlib import suppress
from typing import Final

from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.sql_away import sql_takes_nothing

KEY: Final = "history:refused"
KEPT_SECONDS: Final = 15  # drains try again every other second


def note(error: BaseException) -> bool:
    """Keep the mark up if SQL takes no writes, and return whether it does so. Never raises."""
    if not sql_takes_nothing(error):
        return False
    text = str(error).strip().partition("\n")[0][:200]
    with suppress(RedisError, hotpath.HotPathError, OSError):
        hotpath.client().set(KEY, text, ex=KEPT_SECONDS)
    return True


def reason() -> str:
    """What SQL said when it took nothing lately; "" = it takes what it is given."""
    return str(hotpath.client().get(KEY) or "")
