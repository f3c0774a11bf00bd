"""The hot lane's cached wallets and templates, and its threads for SQL."""

import asyncio
from collections.abc import Collection
from typing import Final

from channels.db import database_sync_to_async

from billing.abilities import Ability
from billing.services import abilities, holds
from billing.services.senders import TemplateRef, WalletRef, template_ref, wallet_ref
from poolsite.api.directory import Directory, DirectoryKind
from poolsite.sql_connections import sql_threads

_WALLETS = DirectoryKind("wallets", wallet_ref)
_TEMPLATES = DirectoryKind("templates", template_ref)
# Bounded, so that requests that wait for SQL don't use up all of its connections.
THREADS: Final = 4
EXECUTOR = sql_threads(THREADS, "messages")

look_back = database_sync_to_async(holds.look_back, thread_sensitive=False, executor=EXECUTOR)
_look_up = database_sync_to_async(abilities.look_up, thread_sensitive=False, executor=EXECUTOR)
LOOK_UP_SECONDS: Final = (
    1.0  # the provider has its own budget; SQL, which caches its answers, has none
)


async def look_up(numbers: Collection[str]) -> dict[str, Ability]:
    """Return the abilities of the numbers. Those unknown after LOOK_UP_SECONDS get `slow`.

    SQL that hangs must not delay a message, so the message falls back to video.
    """
    try:
        return await asyncio.wait_for(_look_up(numbers), LOOK_UP_SECONDS)
    except TimeoutError:
        return {number: Ability(number, None, "slow") for number in numbers}


def wallets() -> Directory[WalletRef]:
    """Return the running loop's directory of wallets."""
    return _WALLETS.directory()


def templates() -> Directory[TemplateRef]:
    """Return the running loop's directory of templates."""
    return _TEMPLATES.directory()
