"""The one place that builds Redis clients: retries off, timeouts on, text decoded.

redis-py 8.1 repeats a command after a lost reply, so a script would run twice. Every client that
this module returns has that switched off (docs/decisions/0003).
"""

from typing import Any

import redis
import redis.asyncio
import redis.asyncio.sentinel
import redis.sentinel
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.retry import Retry

from poolsite.hotpath.address import HostPort, RedisAddress
from poolsite.hotpath.routing import SERVER, Node

MAX_CONNECTIONS = 1_000


def sync_client(address: RedisAddress) -> Any:
    """Return a redis.Redis or redis.cluster.RedisCluster without retries."""
    if address.topology == "cluster":
        return redis.RedisCluster(
            startup_nodes=[ClusterNode(host, port) for host, port in address.hosts],
            retry=Retry(NoBackoff(), 0),
            reinitialize_steps=0,
            ssl=address.tls,
            **_options(address, cluster=True),
        )
    if address.topology == "sentinel":
        return sync_sentinel(address).master_for(address.service)
    return redis.Redis(connection_pool=sync_pool(address, SERVER))


def async_client(address: RedisAddress) -> Any:
    """Return a redis.asyncio client without retries. It belongs to the running loop."""
    if address.topology == "cluster":
        return redis.asyncio.RedisCluster(
            startup_nodes=[AsyncClusterNode(host, port) for host, port in address.hosts],
            retry=AsyncRetry(NoBackoff(), 0),
            reinitialize_steps=0,
            ssl=address.tls,
            **_options(address, cluster=True),
        )
    if address.topology == "sentinel":
        return async_sentinel(address).master_for(address.service)
    return redis.asyncio.Redis(connection_pool=async_pool(address, SERVER))


def close_sync_client(client: Any) -> None:
    """Close every connection of a client that `sync_client` returned."""
    client.close()
    pool = getattr(client, "connection_pool", None)
    if pool is not None:
        pool.disconnect()
    if isinstance(pool, redis.sentinel.SentinelConnectionPool):
        pool.sentinel_manager.close()


async def close_async_client(client: Any) -> None:
    """Close every connection of a client that `async_client` returned.

    RedisCluster.aclose() does nothing after a lost connection (it believes that it is closed), so
    its nodes are closed one by one.
    """
    await client.aclose()
    if isinstance(client, redis.asyncio.RedisCluster):
        await client.nodes_manager.aclose()
        await client.nodes_manager.aclose("startup_nodes")
        return
    pool = client.connection_pool
    await pool.aclose()
    if isinstance(pool, redis.asyncio.sentinel.SentinelConnectionPool):
        await pool.sentinel_manager.aclose()


def sync_pool(address: RedisAddress, node: Node) -> redis.ConnectionPool:
    """Return a pool of connections to one node (SERVER: the only one). Safe across fork."""
    kind: Any = redis.SSLConnection if address.tls else redis.Connection
    if address.path:
        kind = redis.UnixDomainSocketConnection
    return redis.ConnectionPool(
        connection_class=kind,
        max_connections=MAX_CONNECTIONS,
        retry=Retry(NoBackoff(), 0),
        **_place(address, node),
        **_options(address),
    )


def async_pool(address: RedisAddress, node: Node) -> redis.asyncio.ConnectionPool:
    """Like `sync_pool`, for the running loop."""
    kind: Any = redis.asyncio.SSLConnection if address.tls else redis.asyncio.Connection
    if address.path:
        kind = redis.asyncio.UnixDomainSocketConnection
    return redis.asyncio.ConnectionPool(
        connection_class=kind,
        max_connections=MAX_CONNECTIONS,
        retry=AsyncRetry(NoBackoff(), 0),
        **_place(address, node),
        **_options(address),
    )


def sync_sentinel(address: RedisAddress) -> redis.sentinel.Sentinel:
    return redis.sentinel.Sentinel(
        list(address.hosts),
        sentinel_kwargs={**_sentinel_options(address), "retry": Retry(NoBackoff(), 0)},
        retry=Retry(NoBackoff(), 0),
        ssl=address.tls,
        **_options(address),
    )


def async_sentinel(address: RedisAddress) -> redis.asyncio.sentinel.Sentinel:
    return redis.asyncio.sentinel.Sentinel(
        list(address.hosts),
        sentinel_kwargs={**_sentinel_options(address), "retry": AsyncRetry(NoBackoff(), 0)},
        retry=AsyncRetry(NoBackoff(), 0),
        ssl=address.tls,
        **_options(address),
    )


def place_of(address: RedisAddress, node: Node) -> HostPort:
    """Return the host and port of a node. For SERVER, return those of the address."""
    if node == SERVER:
        return address.hosts[0]
    host, _, port = node.rpartition(":")
    return host, int(port)


def _place(address: RedisAddress, node: Node) -> dict[str, Any]:
    if address.path:
        return {"path": address.path}
    host, port = place_of(address, node)
    return {"host": host, "port": port}


def _options(address: RedisAddress, *, cluster: bool = False) -> dict[str, Any]:
    # "replace": a switch may have stored bytes that are not text. Reading them must not fail.
    fixed = {"decode_responses": True, "encoding_errors": "replace", "protocol": 2}
    options = {**fixed, **address.options}
    if cluster:
        options.pop("db", None)
    return options


def _sentinel_options(address: RedisAddress) -> dict[str, Any]:
    timeouts = {
        name: address.options[name] for name in ("socket_timeout", "socket_connect_timeout")
    }
    return {"decode_responses": True, "protocol": 2, **timeouts, **address.sentinel_options}
