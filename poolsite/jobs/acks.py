"""Keeps a worker running when Redis does not accept the acknowledgement of a completed task."""

from typing import Any

from kombu.transport import redis, virtual


class CountedAcks(redis.QoS):
    """Kombu's QoS, but a completed task no longer counts as fetched, whatever Redis answers.

    If the reply of an acknowledgement is lost while the connection for tasks is open, Kombu
    continues to count the task. After as many such losses as a worker may fetch (`-c`), the worker
    would fetch nothing more, and nothing would be logged. The next acknowledgement also contains
    those that Redis did not accept. After a new connection, such a task may be delivered once more,
    as any task may.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call]  # kombu's
        self._owed: set[str] = set()

    def ack(self, delivery_tag: str) -> None:
        """Count the task as done, then notify Redis. Raise the connection's errors."""
        virtual.QoS.ack(self, delivery_tag)
        self._owed.add(delivery_tag)
        owed = tuple(self._owed)
        with self.pipe_or_acquire() as pipe:
            for tag in owed:
                self._remove_from_indices(tag, pipe)  # type: ignore[no-untyped-call]  # kombu's
            pipe.execute()
        self._owed.difference_update(owed)


def install() -> None:
    """Make every Redis connection of kombu count this way. poolsite.celery calls this once."""
    redis.Channel.QoS = CountedAcks
