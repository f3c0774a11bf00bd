"""Helpers that several services of the line share."""

import logging
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from django.conf import settings
from django.db import transaction
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.plain_text import JOINERS, one_line
from queueing.line import desk as commands
from queueing.line.errors import LineError
from queueing.line.models import Agent, Desk, Queue

logger = logging.getLogger(__name__)
TEXT_LENGTH = 4_000
DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
REBUILT = ("unavailable", "This queue is being restored. Try again in a moment.")
LINE_BREAKS = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\t": " "})


def clean(text: str, length: int) -> str:
    """Return one line of at most `length` characters, without control characters."""
    return one_line(text)[:length].strip(JOINERS)


def clean_text(text: str) -> str:
    """Return a message's text.

    Line breaks and joiners stay; characters that hide or reverse text go. Raise LineError if no
    visible text is left, or if it is too long.
    """
    lines = text.replace("\r\n", "\n").translate(LINE_BREAKS)
    kept = "".join(c for c in lines if c == "\n" or _may_be_said(c)).strip()
    if not any(unicodedata.category(c)[0] in "LNPS" for c in kept):
        raise LineError("malformed", "A message needs some text.")
    if len(kept) > TEXT_LENGTH:
        raise LineError("malformed", f"A message can have up to {TEXT_LENGTH} characters.")
    return kept


def _may_be_said(char: str) -> bool:
    """Whether messages may contain it: no control characters, surrogates, direction overrides."""
    return unicodedata.category(char) not in ("Cc", "Cs", "Cn") and char not in DIRECTIONS


def agents_at(desk: str) -> Iterator[commands.AgentRecord]:
    """Iterate over every agent of a desk as Redis has it. Read page by page, on demand."""
    cursor = "0"
    while True:
        cursor, some = hotpath.run(commands.agents(desk, cursor))
        yield from some
        if cursor == "0":
            return


def queue_settings(queue: Queue, *, is_open: bool) -> commands.QueueSettings:
    """Return a queue's settings in the form that the scripts take."""
    return commands.QueueSettings(
        mode=queue.mode,
        is_open=is_open,
        ttl_seconds=queue.ttl_seconds,
        grace_seconds=queue.grace_seconds,
        offer_seconds=queue.offer_seconds,
        misses_limit=queue.misses_limit,
        wrap_up_seconds=queue.wrap_up_seconds,
        max_wait_seconds=queue.max_wait_seconds,
        max_length=queue.max_length,
        overflow=queue.overflow_id or 0,
        no_agent=queue.no_agent,
        no_agent_seconds=queue.no_agent_seconds,
        skills_relax_seconds=queue.skills_relax_seconds,
        room_grace_seconds=queue.room_grace_seconds,
        agent_grace_seconds=queue.agent_grace_seconds,
        decline_seconds=queue.decline_seconds,
    )


def agent_settings(agent: Agent) -> commands.AgentSettings:
    """Return an agent's settings in the form that the scripts take. Reads its queues from SQL."""
    queues = list(agent.queues.all())
    ttl = min((queue.ttl_seconds for queue in queues), default=15)
    return commands.AgentSettings(
        queues=[queue.pk for queue in queues],
        capacity=agent.capacity,
        skills={str(name): int(level) for name, level in agent.skills.items()},
        ttl_seconds=ttl,
    )


def zone_of(desk: Desk) -> str:
    """Return the time zone of a desk's hours."""
    return desk.account.zone if desk.account is not None else str(settings.PLATFORM_ZONE)


def after_commit(desk: Desk, send: Callable[[], Any]) -> None:
    """Send a change to Redis after the commit. If it fails, the watch's next run corrects it."""
    transaction.on_commit(partial(_send, desk.slug, send))


def _send(slug: str, send: Callable[[], Any]) -> None:
    try:
        send()
    except (hotpath.HotPathError, RedisError) as error:
        logger.warning("line: a change of desk %s waits for Redis: %s", slug, error)
