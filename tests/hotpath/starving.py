"""A hot path on a Redis without memory: a refused command must not have changed anything."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from poolsite import hotpath
from poolsite.hotpath.header import RUNS
from poolsite.hotpath.routing import SERVER

# A refusal is returned at once: this class sends the command again, with memory.
ONCE = hotpath.Limits(attempts=1)


@dataclass
class Seen:
    """How often each script was refused, and how often it ran without memory."""

    refused: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)


class StarvingPath(hotpath.HotPath):
    """Runs each command on a full Redis first. What that refuses runs again, with memory."""

    def __init__(self, url: str, client: Any, *, by_scripts: bool = False) -> None:
        super().__init__(url, ONCE)
        if by_scripts:
            self.planner.scripts_only.add(SERVER)
        self.seen = Seen()
        self._owner = client
        self.load_scripts()

    def run_batch(self, commands: Sequence[hotpath.Command[Any]]) -> list[Any]:
        return [self._starve(command) for command in commands]

    def _starve(self, command: hotpath.Command[Any]) -> Any:
        before = everything(self._owner)
        self._owner.config_set("maxmemory", 1)
        try:
            (outcome,) = super().run_batch([command])
        finally:
            self._owner.config_set("maxmemory", 0)
        title = command.script.title
        if isinstance(outcome, hotpath.Unavailable):  # certainly not executed
            assert "OOM" in str(outcome), outcome
            assert not command.gives_back, title
            assert command.script.full_server != RUNS, title
            after = everything(self._owner)
            changed = [key for key in before | after if before.get(key) != after.get(key)]
            assert changed == [], f"{title} was refused after a write"
            self.seen.refused[title] = self.seen.refused.get(title, 0) + 1
            (outcome,) = super().run_batch([command])
        else:
            self.seen.done[title] = self.seen.done.get(title, 0) + 1
        return outcome


def everything(client: Any) -> dict[str, Any]:
    """Return every key with its content (not DUMP: a hash that grows moves its fields)."""
    keys = sorted(client.scan_iter(count=1_000))
    with client.pipeline(transaction=False) as pipe:
        for key in keys:
            pipe.type(key)
        kinds = pipe.execute()
        for key, kind in zip(keys, kinds, strict=True):
            _READ[kind](pipe, key)
        return dict(zip(keys, pipe.execute(), strict=True))


_READ: dict[str, Callable[[Any, str], Any]] = {
    "string": lambda pipe, key: pipe.get(key),
    "hash": lambda pipe, key: pipe.hgetall(key),
    "zset": lambda pipe, key: pipe.zrange(key, 0, -1, withscores=True),
    "set": lambda pipe, key: pipe.smembers(key),
    "list": lambda pipe, key: pipe.lrange(key, 0, -1),
    "stream": lambda pipe, key: pipe.xrange(key),
}
