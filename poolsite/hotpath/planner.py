"""Decides what to send, what an answer means, and what is repeated. No I/O; used by both lanes.

`plan` is a generator: it yields Send, Refresh or Wait, receives the answers, and returns one
outcome per command. The sync and the async runner only execute these steps.
"""

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

from poolsite.hotpath.commands import Argument, Command
from poolsite.hotpath.errors import Full, HotPathError, ScriptFailed, Unavailable, UnknownOutcome
from poolsite.hotpath.library import Library, library_of, read_packed
from poolsite.hotpath.replies import ErrorReply, Failure, Lost, NotSent
from poolsite.hotpath.routing import Node, Router, slot_of

Words = tuple[Argument, ...]
Groups = dict[Node, list[Words]]
Answers = dict[Node, list[Any]]  # one list per group: a reply or a Failure for each command


@dataclass(frozen=True, slots=True)
class Send:
    """Send each node its commands in one pipeline. The answer is Answers."""

    groups: Groups


@dataclass(frozen=True, slots=True)
class Refresh:
    """Read the topology again. The answer is None, or NotSent if no node answers."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait for some seconds, so that the servers settle."""

    seconds: float


Effect = Send | Refresh | Wait
Plan = Generator[Effect, Any, list[Any]]


@dataclass(frozen=True)
class Limits:
    """How long the runner tries. A command that was surely not executed may be sent again."""

    attempts: int = 16
    deadline_seconds: float = 6.0
    first_wait_seconds: float = 0.01
    longest_wait_seconds: float = 0.25
    clock: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class _Item:
    index: int
    command: Command[Any]
    asking: Node | None = None  # where an ASK reply sent us, for the next attempt only
    forgotten: int = 0  # how often a server answered NOSCRIPT
    redirected: int = 0  # how often a node named another node
    maybe_executed: bool = False
    reason: str = ""


@dataclass
class _Round:
    """The results of one exchange, apart from the outcomes."""

    again: list[_Item] = field(default_factory=list)
    refresh: bool = False
    wait: bool = False


class Planner:
    """State that outlives a call: which libraries and scripts each node is known to have.

    A command calls its app's library if there is one and the node takes it: Redis 7, Valkey, and a
    user who may load and call it. Everywhere else it runs its script.
    """

    def __init__(self, router: Router, limits: Limits) -> None:
        self.router = router
        self.limits = limits
        self.loaded: set[tuple[Node, str]] = set()  # names of libraries, SHA-1s of scripts
        self.scripts_only: set[Node] = set()

    def ready(self, command: Command[Any]) -> tuple[Node, Words] | None:
        """Return the node to which a command may be sent at once, and its arguments, or None if the
        node or what it has loaded is not known.
        """
        node = self.router.node_of(command.tag)
        if node is None:
            return None
        held, words = self._call(node, command)
        return (node, words) if (node, held) in self.loaded else None

    def _library(self, node: Node, command: Command[Any]) -> Library | None:
        """Return the library by which the node runs a command, or None if it runs the script."""
        return None if node in self.scripts_only else library_of(command.script)

    def _call(self, node: Node, command: Command[Any]) -> tuple[str, Words]:
        """Return what the node must have loaded for a command, and the arguments to send."""
        script, library = command.script, self._library(node, command)
        if library is None:
            return script.sha1, command.evalsha()
        whole = self.router.topology == "cluster"
        function = library.function(script, gives_back=command.gives_back)
        return library.name, command.fcall(function, whole=whole)

    def _load(self, node: Node, command: Command[Any]) -> Words:
        """Return the arguments that load what `_call` needs on the node."""
        library = self._library(node, command)
        if library is None:
            return ("SCRIPT", "LOAD", command.script.text)
        return library.load

    def plan(
        self, commands: Sequence[Command[Any]], first: tuple[Node, Failure] | None = None
    ) -> Plan:
        """Run commands, those of one aggregate in their order. Return results and errors.

        `first`: the only command was sent to that node already, with this failure.
        """
        outcomes: list[Any] = [None] * len(commands)
        items = [_Item(index, command) for index, command in enumerate(commands)]
        end = self.limits.clock() + self.limits.deadline_seconds
        for attempt in range(self.limits.attempts):
            if first is not None:
                node, failure = first
                first, state = None, _Round()
                self._judge_all({node: [*items]}, {node: [failure]}, outcomes, state)
            else:
                groups, placed, lost = self._group(items)
                answers = (yield Send(groups)) if groups else {}
                state = _Round(again=lost, refresh=bool(lost), wait=bool(lost) and attempt > 0)
                self._judge_all(placed, answers, outcomes, state)
            items = sorted(state.again, key=lambda item: item.index)
            if not items or self.limits.clock() >= end:
                break
            if state.wait:
                yield Wait(self._pause(attempt))
            if state.refresh:
                failed = yield Refresh()
                if failed is not None:
                    _explain(items, failed)
        for item in items:
            outcomes[item.index] = self._give_up(item)
        return outcomes

    def _pause(self, attempt: int) -> float:
        limits = self.limits
        return min(limits.first_wait_seconds * 2.0**attempt, limits.longest_wait_seconds)

    # -- what to send -----------------------------------------------------------------------

    def _group(
        self, items: list[_Item]
    ) -> tuple[Groups, dict[Node, list[_Item | None]], list[_Item]]:
        """Return commands by node, their items (None: our own commands), and the unplaced items."""
        groups: Groups = {}
        placed: dict[Node, list[_Item | None]] = {}
        unplaced: list[_Item] = []
        for item in items:
            node = item.asking or self.router.node_of(item.command.tag)
            if node is None:
                unplaced.append(item)
                continue
            words, owners = groups.setdefault(node, []), placed.setdefault(node, [])
            held, call = self._call(node, item.command)
            if (node, held) not in self.loaded:
                self.loaded.add((node, held))
                words.append(self._load(node, item.command))
                owners.append(None)
            if item.asking is not None:
                words.append(("ASKING",))
                owners.append(None)
            # Forgotten a second time: something flushes the scripts all the time, so send the text.
            words.append(item.command.eval() if item.forgotten > 1 else call)
            owners.append(item)
        return groups, placed, unplaced

    # -- what an answer means ------------------------------------------------------------------

    def _judge_all(
        self,
        placed: dict[Node, list[_Item | None]],
        answers: Answers,
        outcomes: list[Any],
        state: _Round,
    ) -> None:
        for node, items in placed.items():
            for item, answer in zip(items, answers[node], strict=True):
                if item is None:
                    self._judge_own(node, answer)
                elif isinstance(answer, Failure):
                    outcomes[item.index] = self._judge_failure(node, item, answer, state)
                else:
                    outcomes[item.index] = read_reply(item.command, answer)

    def _judge_own(self, node: Node, answer: Any) -> None:
        if not isinstance(answer, Failure):
            return
        if isinstance(answer, ErrorReply):
            if "already exists" in answer.text:  # another process has loaded the library
                return
            if answer.refuses_functions:
                self.scripts_only.add(node)
        self.forget(node)  # it could not be loaded: trust nothing about the node

    def forget(self, node: Node) -> None:
        """Forget everything that the node had loaded: it is lost together."""
        # list() is one step, so that another thread may add meanwhile.
        self.loaded = {entry for entry in list(self.loaded) if entry[0] != node}

    def _judge_failure(
        self, node: Node, item: _Item, failure: Failure, state: _Round
    ) -> HotPathError | None:
        """Return the item's outcome, or None after adding it to `state.again`."""
        item.reason = str(failure)
        asking, item.asking = item.asking, None
        if isinstance(failure, ErrorReply):
            known = self._judge_error(node, item, failure, state, asking)
            if known is not None:
                return known
            state.again.append(item)
            return None
        state.refresh = self.router.follows
        state.wait = True
        if isinstance(failure, Lost):
            item.maybe_executed = True
            if item.command.operation_id is None:
                return UnknownOutcome(f"{item.command.script.title}: {failure.reason}")
        elif not self.router.follows and item.command.operation_id is None:
            return self._give_up(item)
        self.router.forget_master()
        state.again.append(item)
        return None

    def _judge_error(
        self, node: Node, item: _Item, error: ErrorReply, state: _Round, asking: Node | None
    ) -> HotPathError | None:
        """Return an outcome, or None if the item may be sent again."""
        command, code = item.command, error.code
        if error.lacks_script:
            item.forgotten += 1
            item.asking = asking
            self.forget(node)
        elif error.forbids_calls:
            item.asking = asking
            self.scripts_only.add(node)
        elif code in ("MOVED", "ASK"):
            # Nodes that don't agree yet redirect us to and fro: let their gossip arrive.
            item.redirected += 1
            state.wait = state.wait or item.redirected > 2
            if code == "ASK":
                item.asking = error.redirect_from(node)
            else:
                self.router.moved(slot_of(command.tag), error.redirect_from(node))
        elif code == "TRYAGAIN":
            state.wait = True
        elif code == "CLUSTERDOWN" or (code == "READONLY" and self.router.follows):
            self.router.forget_master()
            state.wait = state.refresh = True
        elif code == "OOM" and command.script.full_server:
            return Full(f"{command.script.title}: {error.text}")  # the caller sends items alone
        elif error.surely_not_executed:
            state.wait = True
            if command.operation_id is None:
                return self._give_up(item)
        else:
            return ScriptFailed(f"{command.script.title}: {error.text}")
        return None

    @staticmethod
    def _give_up(item: _Item) -> HotPathError:
        kind = UnknownOutcome if item.maybe_executed else Unavailable
        return kind(f"{item.command.script.title}: {item.reason}")


def _explain(items: list[_Item], failed: NotSent) -> None:
    for item in items:
        item.reason = item.reason or failed.reason


def read_reply(command: Command[Any], reply: Any) -> Any:
    """Return the command's result, or ScriptFailed if its `read` cannot take the reply.

    A HotPathError that `read` raises is the outcome: an app's own error for a refusal.
    """
    try:
        return command.read(read_packed(reply) if isinstance(reply, str) else reply)
    except HotPathError as refusal:
        return refusal
    except Exception as error:
        failed = ScriptFailed(f"{command.script.title}: the reply was not understood ({error!r})")
        failed.__cause__ = error
        return failed
