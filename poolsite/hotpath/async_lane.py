"""Sending and reading for one event loop."""

import asyncio
import random
from typing import Any

import redis.asyncio
from redis.exceptions import BusyLoadingError, RedisError, ResponseError

from poolsite.hotpath.address import RedisAddress
from poolsite.hotpath.connection import async_client, async_pool, async_sentinel
from poolsite.hotpath.errors import Unavailable
from poolsite.hotpath.planner import Answers, Groups, Words
from poolsite.hotpath.replies import Failure, Lost, NotSent, error_reply_of
from poolsite.hotpath.routing import SERVER, Node, Router


class AsyncLane:
    """Pools by node, and the client for plain reads, of one loop."""

    def __init__(self, address: RedisAddress, router: Router) -> None:
        self.address = address
        self.router = router
        self.keeper: object = None
        self._pools: dict[Node, redis.asyncio.ConnectionPool] = {}
        self._client: Any = None

    def client(self) -> Any:
        if self._client is None:
            self._client = async_client(self.address)
        return self._client

    async def pubsub_client(self) -> Any:
        if self.address.topology == "sentinel":
            return async_client(self.address)
        node = SERVER
        if self.address.topology == "cluster":
            node = await self._answering_node()
        client = redis.asyncio.Redis(connection_pool=async_pool(self.address, node))
        client.auto_close_connection_pool = True
        return client

    async def _answering_node(self) -> Node:
        failed = await self.refresh()
        if failed is not None:
            raise Unavailable(failed.reason)
        return random.choice(self.router.nodes())  # noqa: S311  only spreads subscribers

    async def aclose(self) -> None:
        pools, self._pools = list(self._pools.values()), {}
        for pool in pools:
            await pool.aclose()
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()
            if self.address.topology != "cluster":
                await client.connection_pool.aclose()

    async def exchange(self, groups: Groups) -> Answers:
        """Send each node its commands in one pipeline, all nodes at the same time."""
        if len(groups) == 1:
            ((node, words),) = groups.items()
            return {node: await self._exchange_one(node, words)}
        lists = await asyncio.gather(*(self._exchange_one(*group) for group in groups.items()))
        return dict(zip(groups, lists, strict=True))

    async def _exchange_one(self, node: Node, commands: list[Words]) -> list[Any]:
        pool = self._pools.get(node)
        if pool is None:
            pool = self._pools[node] = async_pool(self.address, node)
        try:
            connection = await pool.get_connection()
        except (RedisError, OSError) as error:
            return [NotSent(f"no connection: {error}")] * len(commands)
        replies: list[Any] = []
        try:
            await connection.send_packed_command(connection.pack_commands(commands))
            while len(replies) < len(commands):
                replies.append(await _read_one(connection))
        except (RedisError, OSError) as error:
            await connection.disconnect(nowait=True)
            lost = Lost(f"no reply: {error}")
            replies.extend([lost] * (len(commands) - len(replies)))
        except BaseException:
            await connection.disconnect(nowait=True)
            raise
        finally:
            await pool.release(connection)
        return replies

    # -- topology -------------------------------------------------------------------------------

    async def refresh(self) -> NotSent | None:
        """Read who serves what; returns NotSent when nobody answers."""
        if self.address.topology == "sentinel":
            return await self._find_master()
        reason = "no node of the cluster answers"
        starts = [f"{host}:{port}" for host, port in self.address.hosts]
        for node in dict.fromkeys([*self.router.nodes(), *starts]):
            (rows,) = await self._exchange_one(node, [("CLUSTER", "SLOTS")])
            if isinstance(rows, list) and rows:
                self.router.learn_slots(rows, node)
                return None
            if isinstance(rows, Failure):
                reason = getattr(rows, "reason", "") or getattr(rows, "text", "")
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


async def _read_one(connection: Any) -> Any:
    try:
        return await connection.read_response(disconnect_on_error=False)
    except (ResponseError, BusyLoadingError) as error:
        return error_reply_of(error)
