"""Sends commands and reads replies for threads: a connection per exchange and node, no retries."""

from typing import Any, cast

import hiredis
import redis
from redis.exceptions import RedisError, ResponseError

from poolsite.hotpath.address import RedisAddress
from poolsite.hotpath.connection import sync_pool, sync_sentinel
from poolsite.hotpath.planner import Answers, Groups, Words
from poolsite.hotpath.promotion import ASK, REPLICA, Guard, lineage_of
from poolsite.hotpath.replies import Failure, Lost, NotSent, error_reply_of
from poolsite.hotpath.routing import Node, Router


class SyncLane:
    """Connection pools by node, shared by threads. After a fork redis-py's pools start afresh."""

    def __init__(self, address: RedisAddress, router: Router) -> None:
        self.address = address
        self.router = router
        self._pools: dict[Node, redis.ConnectionPool] = {}

    def close(self) -> None:
        for pool in self._pools.values():
            pool.disconnect()
        self._pools.clear()

    def exchange(self, groups: Groups) -> Answers:
        """Send to every node first, then read from each: the nodes work at the same time."""
        open_exchanges = {node: self._send(node, words) for node, words in groups.items()}
        return {
            node: self._read(node, sent, len(groups[node])) for node, sent in open_exchanges.items()
        }

    def _pool(self, node: Node) -> redis.ConnectionPool:
        pool = self._pools.get(node)
        if pool is None:
            pool = self._pools.setdefault(node, sync_pool(self.address, node))
        return pool

    def _send(self, node: Node, commands: list[Words]) -> Any:
        """Return the connection on which the replies will come, or the failure."""
        pool = self._pool(node)
        try:
            connection: Any = pool.get_connection()
        except (RedisError, OSError) as error:
            return NotSent(f"no connection: {error}")
        sending = False
        try:
            before = self._guard(connection).words_before(commands)
            sending = True
            # hiredis alone: redis-py checks each argument first, at four times the cost.
            packed = [hiredis.pack_command(cast(Any, words)) for words in (*before, *commands)]
            connection.send_packed_command([b"".join(packed)])
        except BaseException as error:
            connection.disconnect()
            pool.release(connection)
            if isinstance(error, RedisError | OSError):
                if not sending:
                    return NotSent(f"no connection: {error}")
                return Lost(f"the connection broke while sending: {error}")
            raise
        connection.told_before = before
        return connection

    def _guard(self, connection: Any) -> Guard:
        """Return the connection's guard. A connection that was opened again gets a new guard."""
        known = getattr(connection, "guard_of", None)
        if known is not None and known[0] is connection._sock:  # noqa: SLF001  private in redis-py
            return cast(Guard, known[1])
        guard = Guard()
        if self.address.topology != "cluster":
            connection.send_command(*ASK)
            info = _read_one(connection)
            if isinstance(info, str):  # a user without the right to run INFO is served anyway
                guard.lineage = lineage_of(info)
        # A replica is asked again each time: it may be promoted over an open connection.
        asked = None if guard.lineage == REPLICA else connection._sock  # noqa: SLF001
        connection.guard_of = (asked, guard)
        return guard

    def _read(self, node: Node, sent: Any, count: int) -> list[Any]:
        if isinstance(sent, Failure):
            return [sent] * count
        replies: list[Any] = []
        try:
            before = sent.told_before
            sent.guard_of[1].note(before, [_read_one(sent) for _ in before])
            while len(replies) < count:
                replies.append(_read_one(sent))
        except (RedisError, OSError) as error:
            sent.disconnect()
            lost = Lost(f"no reply: {error}")
            replies.extend([lost] * (count - len(replies)))
        except BaseException:
            sent.disconnect()
            raise
        finally:
            self._pools[node].release(sent)
        return replies

    # -- topology -------------------------------------------------------------------------------

    def refresh(self) -> NotSent | None:
        """Read which node serves what. Return NotSent if no node answers."""
        if self.address.topology == "sentinel":
            return self._find_master()
        reason = "no node of the cluster answers"
        for node in self.router.whom_to_ask(self.address):
            rows = self.exchange({node: [("CLUSTER", "SLOTS")]})[node][0]
            if isinstance(rows, list) and rows:
                self.router.learn_slots(rows, node)
                return None
            if isinstance(rows, Failure):
                reason = str(rows)
        return NotSent(reason)

    def _find_master(self) -> NotSent | None:
        sentinel = sync_sentinel(self.address)
        try:
            host, port = sentinel.discover_master(self.address.service)
        except (RedisError, OSError) as error:
            return NotSent(f"Sentinel names no master: {error}")
        finally:
            sentinel.close()
        self.router.learn_master(f"{host}:{port}")
        return None


def _read_one(connection: Any) -> Any:
    try:
        return connection.read_response(disconnect_on_error=False)
    except RedisError as error:
        # redis-py raises some replies (LOADING, NOAUTH) as if the connection had broken.
        if isinstance(error, ResponseError) or getattr(error, "status_code", None):
            return error_reply_of(error)
        raise
