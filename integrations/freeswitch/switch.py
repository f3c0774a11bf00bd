"""Commands to FreeSWITCH over one connection, with their answers as values."""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree

from .calls import CALL_VARIABLE, NUMBER_VARIABLE
from .connection import Connection, Lost

logger = logging.getLogger(__name__)

EVENTS = (
    "CHANNEL_CREATE CHANNEL_ANSWER CHANNEL_HANGUP CHANNEL_HANGUP_COMPLETE CHANNEL_DESTROY "
    "HEARTBEAT SHUTDOWN CUSTOM sofia::register sofia::unregister sofia::expire "
    "sofia::gateway_state"
)
UNSET = "_undef_"
_UUID = re.compile(r"[\w.@:+-]{1,128}", re.ASCII)
_CORE = re.compile(r"[\w-]{1,64}", re.ASCII)


async def subscribe(connection: Connection, *, every_event: bool) -> None:
    """Subscribe to the events that we use, as JSON. Raise Lost if FreeSWITCH refuses."""
    reply = await connection.command(f"event json {'ALL' if every_event else EVENTS}")
    if not reply.startswith("+OK"):
        raise Lost(f"FreeSWITCH refused the subscription: {reply[:200]}")


async def core_uuid(connection: Connection) -> str:
    """Return the ID of this run of FreeSWITCH. Raise Lost if it is missing."""
    told = (await connection.api("global_getvar core_uuid")).strip()
    if not _CORE.fullmatch(told):
        raise Lost(f"FreeSWITCH does not say its core_uuid: {told[:100]!r}")
    return told


async def channels(connection: Connection) -> list[str]:
    """Return the UUIDs of all live channels. Raise Lost if there is no usable list."""
    rows = await _rows(connection, "show channels as json")
    return [str(row["uuid"]) for row in rows if _UUID.fullmatch(str(row.get("uuid", "")))]


async def registrations(connection: Connection) -> list[Mapping[str, Any]]:
    """Return the registrations of all profiles. Raise Lost if there is no usable list.

    This doesn't use `sofia xmlstatus … reg`, which writes user names into XML without escaping.
    """
    return await _rows(connection, "show registrations as json")


async def call_of(connection: Connection, channel: str) -> tuple[str, str]:
    """Return the ID and number of the call that a channel carries, or empty strings.

    Raise Lost if the connection ends.
    """
    call_id = await _variable(connection, channel, CALL_VARIABLE)
    number = await _variable(connection, channel, NUMBER_VARIABLE) if call_id else ""
    return call_id, number


async def gateway_state(connection: Connection, name: str) -> str:
    """Return the state of a gateway, such as REGED, or "" if it is unknown.

    Raise Lost if the connection ends.
    """
    told = await connection.api(f"sofia xmlstatus gateway {name}")
    try:
        return ElementTree.fromstring(told).findtext("state", "")  # noqa: S314  our own FreeSWITCH
    except ElementTree.ParseError:
        logger.warning("gateway %s: %s", name, told.strip()[:200])
        return ""


async def kill(connection: Connection, channel: str) -> None:
    """Hang up a channel. A channel that is already gone is not an error.

    Raise Lost if the connection ends.
    """
    if _UUID.fullmatch(channel):
        told = (await connection.api(f"uuid_kill {channel}")).strip()
        logger.info("hung up %s: %s", channel, told[:200])


async def _variable(connection: Connection, channel: str, name: str) -> str:
    told = (await connection.api(f"uuid_getvar {channel} {name}")).strip()
    return "" if told == UNSET or told.startswith("-ERR") else told


async def _rows(connection: Connection, command: str) -> list[Mapping[str, Any]]:
    """Return the rows of a list. Raise Lost if the answer is not a list.

    Treating such an answer as an empty list would release every call. (FreeSWITCH answers like that
    without its core database, `-nosql`.)
    """
    told = await connection.api(command)
    try:
        read = json.loads(told)
    except (ValueError, RecursionError):
        raise Lost(f"{command}: {told.strip()[:200]}") from None
    rows = read.get("rows", []) if isinstance(read, dict) else None
    counted = read.get("row_count") if isinstance(read, dict) else None
    if not isinstance(rows, list) or counted != len(rows):
        raise Lost(f"{command}: not a list: {told.strip()[:200]}")
    return [row for row in rows if isinstance(row, dict)]
