"""A worker survives lost acknowledgements: it keeps fetching tasks, and acknowledges later."""

from collections.abc import Iterator
from typing import Any

import pytest
from kombu import Connection, Consumer, Producer, Queue
from redis.exceptions import RedisError

from poolsite import hotpath
from poolsite.jobs.acks import CountedAcks
from poolsite.runtime import stores
from tests.support.waiting import patient

QUEUE = Queue("test.acks", durable=False)
UNACKED = "unacked"


@pytest.fixture
def broker(clean_redis: Any) -> Iterator[Connection]:
    hotpath.reset()
    with Connection(stores.broker(clean_redis.url)[0]) as connection:
        yield connection


def test_who_lost_as_many_acknowledgements_as_it_may_fetch_fetches_on(broker: Connection) -> None:
    got: list[Any] = []
    consumer = Consumer(broker, [QUEUE], callbacks=[lambda _body, message: got.append(message)])
    consumer.qos(prefetch_count=1)
    assert isinstance(consumer.channel.qos, CountedAcks)
    for number in range(2):
        Producer(broker).publish(number, routing_key=QUEUE.name)
    redis = hotpath.client()
    with consumer:
        broker.drain_events(timeout=patient(10))
        redis.execute_command("ACL", "SETUSER", "default", "-hdel")
        try:
            with pytest.raises(RedisError):
                got[0].ack()
        finally:
            redis.execute_command("ACL", "SETUSER", "default", "+hdel")
        assert redis.hlen(UNACKED) == 1
        broker.drain_events(timeout=patient(10))
        assert [message.payload for message in got] == [0, 1]
        got[1].ack()
        assert redis.hlen(UNACKED) == 0, "what was owed went along"


def test_nothing_is_owed_while_redis_answers(broker: Connection) -> None:
    got: list[Any] = []
    consumer = Consumer(broker, [QUEUE], callbacks=[lambda _body, message: got.append(message)])
    consumer.qos(prefetch_count=1)
    with consumer:
        for number in range(3):
            Producer(broker).publish(number, routing_key=QUEUE.name)
            broker.drain_events(timeout=patient(10))
            got[-1].ack()
            assert hotpath.client().hlen(UNACKED) == 0
            assert consumer.channel.qos._owed == set()
