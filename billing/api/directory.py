"""Wallets and templates as the hot lane knows them, and its threads for SQL."""

from channels.db import database_sync_to_async

from billing.services import abilities, holds
from billing.services.senders import TemplateRef, WalletRef, template_ref, wallet_ref
from poolsite.api.directory import Directory, Kind
from poolsite.sql_connections import sql_threads

_WALLETS = Kind("wallets", wallet_ref)
_TEMPLATES = Kind("templates", template_ref)
# Bounded: what waits for SQL does not take all of it.
EXECUTOR = sql_threads(4, "messages")

look_back = database_sync_to_async(holds.look_back, thread_sensitive=False, executor=EXECUTOR)
look_up = database_sync_to_async(abilities.look_up, thread_sensitive=False, executor=EXECUTOR)


def wallets() -> Directory[WalletRef]:
    """The running loop's."""
    return _WALLETS.directory()


def templates() -> Directory[TemplateRef]:
    """The running loop's."""
    return _TEMPLATES.directory()
