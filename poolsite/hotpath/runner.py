"""HotPath: runs commands against one Redis, sync, async or in batches."""

import asyncio
import itertools
import secrets
import time
from collections.abc import Sequence
from typing import Any, TypeVar

from poolsite.hotpath.address import parse_address
from poolsite.hotpath.async_lane import AsyncLane
from poolsite.hotpath.commands import Command
from poolsite.hotpath.connection import close_sync_client, sync_client
from poolsite.hotpath.errors import HotPathError, Unavailable
from poolsite.hotpath.lanes import LoopLanes
from poolsite.hotpath.library import PREFIX, direct_libraries, libraries, note_changes
from poolsite.hotpath.planner import (
    Answers,
    Groups,
    Limits,
    Plan,
    Planner,
    Refresh,
    Send,
    Words,
    read_reply,
)
from poolsite.hotpath.replies import ErrorReply, Failure
from poolsite.hotpath.routing import Node, Router
from poolsite.hotpath.scripts import registered
from poolsite.hotpath.sync_lane import SyncLane
from poolsite.hotpath.traces import traced, traced_async

T = TypeVar("T")


class HotPath:
    """One Redis and all connections to it. Threads and event loops share one object."""

    def __init__(self, url: str, limits: Limits | None = None) -> None:
        self.address = parse_address(url)
        self.router = Router(self.address)
        self.planner = Planner(self.router, limits or Limits())
        self.lane = SyncLane(self.address, self.router)
        self._loops = LoopLanes(lambda: AsyncLane(self.address, self.router))
        self._client: Any = None

    def run(self, command: Command[T]) -> T:
        """Run one command. Raise Unavailable, UnknownOutcome or ScriptFailed."""
        return self.run_all([command])[0]

    @traced
    def run_batch(self, commands: Sequence[Command[T]]) -> list[T | HotPathError]:
        """Run commands in one pipeline per node. Return an outcome for each; never raise.

        Not a transaction. Commands of one aggregate keep their order.
        """
        outcomes = self._drive(self.planner.plan(commands))
        note_changes(commands, outcomes)
        return outcomes

    def run_all(self, commands: Sequence[Command[T]]) -> list[T]:
        """Run commands like `run_batch`, but raise the first error after all of them ran."""
        return [_result(outcome) for outcome in self.run_batch(commands)]

    def _drive(self, plan: Plan) -> list[Any]:
        answer: Any = None
        while True:
            try:
                effect = plan.send(answer)
            except StopIteration as done:
                return list(done.value)
            if isinstance(effect, Send):
                answer = self.lane.exchange(effect.groups)
            elif isinstance(effect, Refresh):
                answer = self.lane.refresh()
            else:
                time.sleep(effect.seconds)
                answer = None

    @traced_async
    async def arun(self, command: Command[T]) -> T:
        """Run one command without blocking the loop. Raise the same errors as `run`."""
        lane = self._loops.current()
        ready = self.planner.ready(command)
        if ready is None:
            outcomes = await self._adrive(lane, self.planner.plan([command]))
        else:
            node, words = ready
            (reply,) = await lane.exchange_one(node, [words])
            if isinstance(reply, Failure):
                outcomes = await self._adrive(lane, self.planner.plan([command], (node, reply)))
            else:
                outcomes = [read_reply(command, reply)]
        result: T = _result(outcomes[0])
        return result

    @traced_async
    async def arun_batch(self, commands: Sequence[Command[T]]) -> list[T | HotPathError]:
        """Like `run_batch`, without blocking the loop."""
        return await self._adrive(self._loops.current(), self.planner.plan(commands))

    @staticmethod
    async def _adrive(lane: AsyncLane, plan: Plan) -> list[Any]:
        answer: Any = None
        while True:
            try:
                effect = plan.send(answer)
            except StopIteration as done:
                return list(done.value)
            if isinstance(effect, Send):
                answer = await lane.exchange(effect.groups)
            elif isinstance(effect, Refresh):
                answer = await lane.refresh()
            else:
                await asyncio.sleep(effect.seconds)
                answer = None

    def load_scripts(self) -> None:
        """Load every registered script on every master, and every library if the master has
        functions. Raise Unavailable.
        """
        words: list[Words] = [("SCRIPT", "LOAD", s.text) for s in registered().values()]
        self._on_every_master(words)
        loads: list[Words] = [each.load for each in libraries()]
        # A library that exists is refused. A server before Redis 7 refuses all of them.
        self.lane.exchange(dict.fromkeys(self.router.nodes(), loads))

    def missing_scripts(self) -> list[tuple[Node, str]]:
        """Return (node, title) for each registered script that a master lacks, and (node, name) for
        each library with a fixed name that it lacks or has from another release.

        Only our own processes use the other libraries. They load them when they need them.
        """
        scripts = registered()
        answers = self._on_every_master([("SCRIPT", "EXISTS", *(s.sha1 for s in scripts.values()))])
        missing = [
            (node, title)
            for node, (found,) in answers.items()
            for title, exists in zip(scripts, found, strict=True)
            if not exists
        ]
        for library in direct_libraries():
            ours = {library.name: library.text}
            held = self._held_libraries(library.name).items()
            missing += [(node, library.name) for node, texts in held if texts != ours]
        return missing

    def other_libraries(self) -> list[tuple[Node, str]]:
        """Return (node, library) for other releases' libraries. Raise Unavailable."""
        ours = {each.name for each in libraries()}
        held = self._held_libraries(f"{PREFIX}*").items()
        return [(node, name) for node, texts in held for name in texts if name not in ours]

    def prune_libraries(self) -> list[tuple[Node, str]]:
        """Delete and return the `other_libraries`. A process in need loads its own again."""
        gone = self.other_libraries()
        for node, name in gone:
            self.lane.exchange({node: [("FUNCTION", "DELETE", name)]})
        return gone

    def _held_libraries(self, pattern: str) -> dict[Node, dict[str, str]]:
        """Return the libraries' texts by name, for each master that lists them to us."""
        listing: list[Words] = [("FUNCTION", "LIST", "LIBRARYNAME", pattern, "WITHCODE")]
        self._look_again()
        held = {}
        answers = self.lane.exchange(dict.fromkeys(self.router.nodes(), listing))
        for node, (found,) in answers.items():
            if isinstance(found, ErrorReply):
                continue
            _answered({node: [found]})
            rows = [dict(zip(row[::2], row[1::2], strict=True)) for row in found]
            held[node] = {row["library_name"]: row["library_code"] for row in rows}
        return held

    def knows_functions(self) -> bool:
        """Return whether every master knows FCALL: Redis 7, Valkey. Raise Unavailable."""
        answers = self._on_every_master([("COMMAND", "INFO", "fcall")])
        return all(found for ((found,),) in answers.values())

    def set_user(self, name: str, rules: Sequence[str]) -> list[Node]:
        """Give every master the user `name` with these rules of ACL SETUSER. Raise Unavailable.

        Return the masters that can't save their users to a file: a restart loses the user there.
        """
        self._on_every_master([("ACL", "SETUSER", name, *rules)])
        answers = self.lane.exchange({node: [("ACL", "SAVE")] for node in self.router.nodes()})
        return sorted(node for node, (saved,) in answers.items() if isinstance(saved, Failure))

    def times(self) -> dict[Node, float]:
        """Return Redis TIME in seconds since 1970 by master. Raise Unavailable."""
        return _seconds(self._on_every_master([("TIME",)]))

    def now(self) -> float:
        """Return the seconds since 1970 by the clock with which the timestamps of all processes are
        compared: that of the first master by name. Raise Unavailable.
        """
        return min(self.times().items())[1]

    def write_refusals(self) -> dict[Node, str]:
        """Write a value to every master and read it back. Return the refusals by master.

        A Redis without memory, or one that has become a replica, answers reads and refuses calls.
        Raise Unavailable if a master does not answer.
        """
        self._look_again()
        word = secrets.token_hex(8)
        keys = {node: f"{self._tag_on(node)}health:{word}" for node in self.router.nodes()}
        answers = self.lane.exchange(
            {
                node: [("SET", key, word, "PX", "10000"), ("GETDEL", key)]
                for node, key in keys.items()
            }
        )
        refusals = {}
        for node, (written, found) in answers.items():
            if isinstance(written, ErrorReply):
                refusals[node] = written.text
            elif not isinstance(written, Failure) and found != word:
                refusals[node] = "a write was lost"
        _answered({node: answers[node] for node in answers if node not in refusals})
        return refusals

    def _tag_on(self, node: Node) -> str:
        """Return a tag whose slot this master serves."""
        tags = (f"{{health.{n}}}" for n in itertools.count())
        return next(tag for tag in tags if self.router.node_of(tag) == node)

    async def atimes(self) -> dict[Node, float]:
        """Like `times`, without blocking the loop. Uses the masters that are known already."""
        lane = self._loops.current()
        nodes = self.router.nodes()
        if not nodes:
            failed = await lane.refresh()
            if failed is not None:
                raise Unavailable(failed.reason)
            nodes = self.router.nodes()
        groups: Groups = {node: [("TIME",)] for node in nodes}
        return _seconds(_answered(await lane.exchange(groups)))

    def _look_again(self) -> None:
        """Read again which masters there are. Raise Unavailable."""
        if self.router.follows:
            failed = self.lane.refresh()
            if failed is not None:
                raise Unavailable(failed.reason)

    def _on_every_master(self, words: list[Words]) -> Answers:
        self._look_again()
        return _answered(self.lane.exchange(dict.fromkeys(self.router.nodes(), words)))

    def client(self) -> Any:
        """Return the sync client for plain reads: one per process, safe over threads and fork."""
        if self._client is None:
            self._client = sync_client(self.address)
        return self._client

    def aclient(self) -> Any:
        """Return the running loop's client for plain reads. Raise RuntimeError outside a loop."""
        return self._loops.current().client()

    async def pubsub_client(self) -> Any:
        """Return a redis.asyncio.Redis for subscriptions: Sentinel's master, or any Cluster master.

        Any node of a Cluster receives what is published on another. The caller closes the client
        with `aclose()`, also before it gets another one after a lost connection. Raise Unavailable.
        """
        return await self._loops.current().pubsub_client()

    async def aclose(self) -> None:
        """Close the running loop's connections. The end of the loop closes them too."""
        await self._loops.aclose()

    def close(self) -> None:
        """Close the sync connections."""
        self.lane.close()
        if self._client is not None:
            close_sync_client(self._client)
            self._client = None


def _result(outcome: Any) -> Any:
    if isinstance(outcome, HotPathError):
        raise outcome
    return outcome


def _answered(answers: Answers) -> Answers:
    """Return every node's replies. Raise Unavailable for the first failure among them."""
    for node, replies in answers.items():
        for reply in replies:
            if isinstance(reply, Failure):
                raise Unavailable(f"{node}: {reply}" if node else str(reply))
    return answers


def _seconds(answers: Answers) -> dict[Node, float]:
    return {node: int(s) + int(us) / 1_000_000 for node, ((s, us),) in answers.items()}
