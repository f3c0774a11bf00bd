"""A worker goes on when Redis does not take an acknowledgement of a task that is done."""

from typing import Any

from kombu.transport import redis, virtual


class CountedAcks(redis.QoS):
    """Kombu's, but a task that is done is not counted as fetched any longer, whatever Redis says.

    Kombu counts it on when the reply of its acknowledgement was lost, while the connection that
    tasks come by stands: after as many such losses as a worker may fetch (`-c`) it fetched nothing
    any more, and nothing was logged. What Redis has not forgotten goes with the next
    acknowledgement; after a new connection it may be given once more, as any task may.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]  # kombu's
        self._owed: set[str] = set()

    def ack(self, delivery_tag: str) -> None:
        """Count it as done, then tell Redis; raises what the connection raises."""
        virtual.QoS.ack(self, delivery_tag)
        self._owed.add(delivery_tag)
        owed = tuple(self._owed)
        with self.pipe_or_acquire() as pipe:
            for tag in owed:
                self._remove_from_indices(tag, pipe)  # type: ignore[no-untyped-call]  # kombu's
            pipe.execute()
        self._owed.difference_update(owed)


def install() -> None:
    """Have every Redis connection of kombu count so; called once, by poolsite.celery."""
    redis.Channel.QoS = CountedAcks
