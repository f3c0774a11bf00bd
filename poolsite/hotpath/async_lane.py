"""Sends commands and reads replies for one event loop."""

import asyncio
import random
import ssl
from typing import Any

import redis.asyncio
from redis.exceptions import RedisError

from poolsite.hotpath.address import RedisAddress
from poolsite.hotpath.connection import (
    async_client,
    async_pool,
    async_sentinel,
    close_async_client,
    place_of,
)
from poolsite.hotpath.errors import Unavailable
from poolsite.hotpath.planner import Answers, Groups, Words
from poolsite.hotpath.promotion import ASK, REPLICA, lineage_of
from poolsite.hotpath.replies import ErrorReply, Failure, Lost, NotSent
from poolsite.hotpath.routing import SERVER, Node, Router
from poolsite.hotpath.wire import Wire

BULK_COMMANDS = 32  # a larger exchange uses the node's second connection: single commands overtake


class AsyncLane:
    """Two connections per node (single commands; batches), and a client for plain reads."""

    def __init__(self, address: RedisAddress, router: Router) -> None:
        self.address = address
        self.router = router
        self.keeper: object = None
        self._wires: dict[tuple[Node, bool], Wire] = {}
        self._opening: dict[tuple[Node, bool], asyncio.Task[Wire | NotSent]] = {}
        self._tls: ssl.SSLContext | None = _tls_context(address)
        self._client: Any = None

    def client(self) -> Any:
        if self._client is None:
            self._client = async_client(self.address)
        return self._client

    async def pubsub_client(self) -> Any:
        node = SERVER
        if self.router.follows:
            failed = await self.refresh()
            if failed is not None:
                raise Unavailable(failed.reason)
            node = random.choice(self.router.nodes())  # noqa: S311  only spreads subscribers
        client = redis.asyncio.Redis(connection_pool=async_pool(self.address, node))
        client.auto_close_connection_pool = True
        return client

    async def aclose(self) -> None:
        opening, self._opening = list(self._opening.values()), {}
        for task in opening:
            task.cancel()
        await asyncio.gather(*opening, return_exceptions=True)
        wires, self._wires = list(self._wires.values()), {}
        for wire in wires:
            await wire.aclose()
        client, self._client = self._client, None
        if client is not None:
            await close_async_client(client)

    async def exchange(self, groups: Groups) -> Answers:
        """Send each node its commands in one pipeline, all nodes at the same time."""
        if len(groups) == 1:
            ((node, words),) = groups.items()
            return {node: await self.exchange_one(node, words)}
        lists = await asyncio.gather(*(self.exchange_one(*group) for group in groups.items()))
        return dict(zip(groups, lists, strict=True))

    async def exchange_one(self, node: Node, commands: list[Words]) -> list[Any]:
        """Send the commands to one node. Return a reply or a Failure for each."""
        bulk = len(commands) > BULK_COMMANDS
        wire = self._wires.get((node, bulk))
        if wire is not None and wire.transport is not None:
            replies = await _send(wire, commands)
            if not isinstance(replies[0], NotSent):  # else the server closed it while it was idle
                return replies
        opened = await self._open_shared(node, bulk)
        if isinstance(opened, NotSent):
            return [opened] * len(commands)
        return await _send(opened, commands)

    # -- connections ------------------------------------------------------------------------------

    async def _open_shared(self, node: Node, bulk: bool) -> Wire | NotSent:
        """Open a connection once for all callers that need it at the same time."""
        which = (node, bulk)
        task = self._opening.get(which)
        if task is None:
            task = self._opening[which] = asyncio.create_task(self._open(node, bulk))
            task.add_done_callback(lambda _: self._opening.pop(which, None))
        return await asyncio.shield(task)  # a cancelled caller must not end the others' connection

    async def _open(self, node: Node, bulk: bool) -> Wire | NotSent:
        wire = Wire(self.address.options["socket_timeout"])
        try:
            async with asyncio.timeout(self.address.options["socket_connect_timeout"]):
                await self._connect(node, wire)
                refusal = await self._greet(wire)
        except OSError as error:  # TimeoutError is an OSError
            refusal = f"{error}" or "no connection in time"
        except BaseException:
            await wire.aclose()
            raise
        if refusal:
            await wire.aclose()
            return NotSent(f"no connection to {node or self.address}: {refusal}")
        self._wires[node, bulk] = wire
        return wire

    async def _connect(self, node: Node, wire: Wire) -> None:
        loop = asyncio.get_running_loop()
        if self.address.path:
            await loop.create_unix_connection(lambda: wire, self.address.path)
            return
        host, port = place_of(self.address, node)
        name = host if self._tls is not None else None
        await loop.create_connection(lambda: wire, host, port, ssl=self._tls, server_hostname=name)

    async def _greet(self, wire: Wire) -> str:
        """Log in, set the client's name and select the database. Return Redis' refusal, or ""."""
        options = self.address.options
        words: list[Words] = []
        if options.get("password") is not None:
            user = options.get("username")
            words.append(("AUTH", *([user] if user else []), options["password"]))
        if options.get("client_name"):
            words.append(("CLIENT", "SETNAME", options["client_name"]))
        if options.get("db") and self.address.topology != "cluster":
            words.append(("SELECT", options["db"]))
        for reply in await wire.send(words):
            if isinstance(reply, ErrorReply):
                return reply.text
            if isinstance(reply, Lost | NotSent):
                return reply.reason
        if self.address.topology == "cluster":
            return ""
        (info,) = await wire.send([ASK])
        if isinstance(info, Lost | NotSent):
            return info.reason
        if isinstance(info, str):  # a user without the right to run INFO is served anyway
            wire.guard.lineage = lineage_of(info)
        return ""

    # -- topology -------------------------------------------------------------------------------

    async def refresh(self) -> NotSent | None:
        """Read which node serves what. Return NotSent if no node answers."""
        if self.address.topology == "sentinel":
            return await self._find_master()
        reason = "no node of the cluster answers"
        for node in self.router.whom_to_ask(self.address):
            (rows,) = await self.exchange_one(node, [("CLUSTER", "SLOTS")])
            if isinstance(rows, list) and rows:
                self.router.learn_slots(rows, node)
                return None
            if isinstance(rows, Failure):
                reason = str(rows)
        return NotSent(reason)

    async def _find_master(self) -> NotSent | None:
        sentinel = async_sentinel(self.address)
        try:
            host, port = await sentinel.discover_master(self.address.service)
        except (RedisError, OSError) as error:
            return NotSent(f"Sentinel names no master: {error}")
        finally:
            await sentinel.aclose()
        self.router.learn_master(f"{host}:{port}")
        return None


async def _send(wire: Wire, commands: list[Words]) -> list[Any]:
    """Send commands. On a promoted server, first close the aggregates that they name."""
    if wire.guard.lineage == REPLICA:  # it may have been promoted since
        (info,) = await wire.send([ASK])
        wire.guard.lineage = lineage_of(info) if isinstance(info, str) else REPLICA
    before = wire.guard.words_before(commands) if wire.guard.lineage else ()
    if not before:
        return await wire.send(commands)
    replies = await wire.send([*before, *commands])
    wire.guard.note(before, replies)
    return replies[len(before) :]


def _tls_context(address: RedisAddress) -> ssl.SSLContext | None:
    """Let redis-py read its own ssl_ options, so that both lanes interpret them in the same way."""
    if not address.tls:
        return None
    options = {name: value for name, value in address.options.items() if name.startswith("ssl_")}
    context: ssl.SSLContext = redis.asyncio.SSLConnection(**options).ssl_context.get()
    return context
