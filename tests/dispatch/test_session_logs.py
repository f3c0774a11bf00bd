"""200 sessions by the logs of both ends, with processes: what commands cost, and nothing else.

Upgrades that are aborted or forced, a block in a group that shares by key, the sweep of old routes.
The front-end is here, the instances are processes, and an operator's orders are commands.
Each session counts its own messages, one after the other, and its instance sends each back.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from integrations.dispatch_client import FrontEnd
from integrations.dispatch_client.outcomes import Sent
from tests.dispatch.handlers import Caller
from tests.dispatch.instances import InstanceProcess
from tests.dispatch.stage import Stage
from tests.live.servers import WebServer
from tests.support.waiting import eventually

pytestmark = pytest.mark.prove

SESSIONS, MORE, KEYS = 200, 40, 50
NAMES = ("as-1", "as-2", "as-3")
BY_ITSELF = "longest drain of the upgrade"


class Ear(Caller):
    """A front-end's handler that stores the numbers of each session that came back."""

    def __init__(self) -> None:
        super().__init__()
        self.back: dict[str, list[int]] = defaultdict(list)

    async def message(self, session: str, body: Any) -> None:
        await super().message(session, body)
        if "echo" in body:
            self.back[session].append(body["echo"])


class Play:
    """The sessions of a front-end on three instances, and what each end has logged."""

    def __init__(self, stage: Stage, group: str, webs: list[WebServer]) -> None:
        self.stage, self.group, self.webs = stage, group, webs
        self.heard = Ear()
        self.processes = [InstanceProcess(stage, group, webs, name) for name in NAMES]
        self.front = FrontEnd(
            stage.settings(group, *webs), self.heard, profile="BICC", peer_id="bicc-1"
        )
        self.home: dict[str, str] = {}  # the instance that each session has begun on
        self.key: dict[str, str] = {}
        self._said: dict[str, list[Sent]] = defaultdict(list)
        self._silent = asyncio.Event()

    @asynccontextmanager
    async def talking(self) -> AsyncIterator[None]:
        """Begin 200 sessions that send one number after the other until they are judged."""
        await eventually(lambda: all(each.lines("linked") for each in self.processes), 60)
        async with self.front:
            await self.begin(SESSIONS)
            assert set(self.home.values()) == set(NAMES)
            self._talk = asyncio.create_task(self._say_on())
            try:
                yield
            finally:
                self._silent.set()
                await self._talk

    async def begin(self, count: int) -> Counter[str]:
        """Begin more sessions. Return how many began on each instance."""
        keys = [f"user-{n % KEYS}" for n in range(count)]
        begun = await asyncio.gather(*(self.front.start(key=key) for key in keys))
        self.home |= {each.session: each.instance for each in begun}
        self.key |= {each.session: key for each, key in zip(begun, keys, strict=True)}
        return Counter(each.instance for each in begun)

    async def _say_on(self) -> None:
        while not self._silent.is_set():
            for session in self.lasting():
                if self._silent.is_set():
                    return
                if len(self.heard.back[session]) == len(self._said[session]):
                    await self._say(session)
            await asyncio.sleep(0.05)  # waits: the pace of the talk

    async def _say(self, session: str) -> None:
        said = self._said[session]
        said.append(await self.front.send(session, len(said)))

    def lasting(self) -> list[str]:
        """Return the sessions whose end the front-end has not heard."""
        return [session for session in self.home if session in self.front.sessions]

    def on(self, name: str) -> set[str]:
        return {session for session, home in self.home.items() if home == name}

    def homes(self, sessions: set[str]) -> dict[str, set[str]]:
        """Return the instances of each key, of these sessions."""
        found: dict[str, set[str]] = defaultdict(set)
        for session in sessions:
            found[self.key[session]].add(self.home[session])
        return found

    # -- the orders -----------------------------------------------------------------------------

    async def order(self, *words: str) -> str:
        """Return the output of an operator's command. The sessions continue meanwhile."""
        words = ("manage.py", "dispatch", words[0], self.group, *words[1:])
        return await asyncio.to_thread(self.stage.site.run, *words)

    async def upgrade(self, *words: str) -> None:
        """Order an upgrade, and wait until the first instance drains."""
        await self.order("upgrade", "2", *words)
        await eventually(lambda: self.drains("as-1"), 60)

    def drains(self, name: str) -> bool:
        rows = self.stage.peers(self.group).values()
        return any(row.upgrading for row in rows if row.name == name)

    async def replace(self, name: str) -> None:
        """End the instance's process, and start one of the next version under its name."""
        old = next(each for each in self.processes if each.name == name)
        old.kill()
        new = InstanceProcess(self.stage, self.group, self.webs, name, "2")
        self.processes.append(new)
        await eventually(lambda: new.lines("linked"), 60)

    # -- the judgement ---------------------------------------------------------------------------

    async def judge(self, forced: set[str], *reasons: str) -> None:
        """Check that these sessions ended once, at both ends, and the others lost nothing."""
        self._silent.set()
        await self._talk
        kept = self.home.keys() - forced
        assert set(self.lasting()) == kept
        for session in kept:
            await self._say(session)
        accepted = {
            session: [n for n, sent in enumerate(said) if (await sent).accepted]
            for session, said in self._said.items()
        }
        back = self.heard.back
        await eventually(
            lambda: all(len(back[each]) == len(accepted[each]) for each in kept),
            60,
            lambda: self._logged("refused"),
        )
        assert all(back[session] == accepted[session] for session in kept)
        assert all(accepted[session] == list(range(len(self._said[session]))) for session in kept)
        assert Counter(session for session, _ in self.heard.some("ended")) == Counter(forced)
        assert {reason for _, reason in self.heard.some("ended")} <= set(reasons)
        assert self._logged("started") == Counter(self.home.items())
        await self.instances_told(forced, *reasons)
        heard = Counter(
            (f"{session} {number}", self.home[session])
            for session, numbers in accepted.items()
            for number in numbers
        )
        assert self._logged("heard") == heard
        assert all(back[each] == accepted[each][: len(back[each])] for each in forced)

    async def instances_told(self, forced: set[str], *reasons: str) -> None:
        """Wait until the instances have logged the end of these sessions, and of no others."""
        ends = Counter((each, self.home[each]) for each in forced)
        await eventually(lambda: self._ended(reasons) == ends)

    def _logged(self, word: str) -> Counter[tuple[str, str]]:
        """Return the instances' log lines of this kind, each with the instance's name."""
        lines = ((line, each.name) for each in self.processes for line in each.lines(word))
        return Counter(lines)

    def _ended(self, reasons: tuple[str, ...]) -> Counter[tuple[str, str]]:
        """Return the sessions whose end the instances heard, with one of these reasons."""
        found: Counter[tuple[str, str]] = Counter()
        for (line, name), count in self._logged("ended").items():
            session, _, reason = line.partition(" ")
            assert reason in reasons
            found[session, name] += count
        return found

    def stop(self) -> None:
        for process in self.processes:
            process.kill()


@pytest.fixture
def play(
    request: pytest.FixtureRequest, stage: Stage, web: WebServer, other_web: WebServer
) -> Iterator[Play]:
    """Three instances of version 1, linked to two web processes. The parameter: how they share."""
    timers = {"heartbeat_seconds": 1, "missed_limit": 20, "disconnect_seconds": 600}
    with stage.group(**timers, sharing=getattr(request, "param", "least")) as group:
        made = Play(stage, group, [web, other_web])
        try:
            yield made
        finally:
            made.stop()


async def test_after_an_abort_every_session_goes_on_and_the_instance_gets_new_ones(
    play: Play,
) -> None:
    async with play.talking():
        await play.upgrade()
        begun = await play.begin(MORE)
        assert set(begun) == {"as-2", "as-3"}
        told = await play.order("abort", "--reason", "a bad version")
        assert "as-1: skipped, open" in told
        await eventually(lambda: not play.drains("as-1"))
        begun = await play.begin(MORE)
        assert begun["as-1"] > 0
        await play.judge(set())


@pytest.mark.parametrize("by", ["operator", "limit"])
async def test_a_force_ends_the_sessions_of_the_instance_that_drains_and_no_others(
    play: Play, by: str
) -> None:
    async with play.talking():
        if by == "limit":
            await play.upgrade("--max-drain", "1", "--at-limit", "force")
        else:
            await play.upgrade()
            told = await play.order("force", "--reason", "no time")
            assert told == f"{len(play.on('as-1'))} sessions ended\n"
        forced = play.on("as-1")
        await eventually(lambda: not forced & set(play.lasting()))
        begun = await play.begin(MORE)
        assert set(begun) == {"as-2", "as-3"}
        await play.judge(forced, BY_ITSELF if by == "limit" else "no time")


async def test_an_abort_between_two_instances_keeps_the_new_version_and_the_old_ones(
    play: Play,
) -> None:
    async with play.talking():
        await play.upgrade()
        forced = play.on("as-1")
        await play.order("force", "--reason", "no time")
        await eventually(lambda: not forced & set(play.lasting()))
        await play.instances_told(forced, "no time")  # the rest ends with its process
        await play.replace("as-1")
        await eventually(lambda: play.drains("as-2"), 60)
        begun = await play.begin(MORE)
        assert set(begun) == {"as-1"}  # it has the fewest sessions, and is trusted
        told = await play.order("abort", "--reason", "a bad version")
        assert told.splitlines() == [
            "as-1: done, open",
            "as-2: skipped, open",
            "as-3: skipped, open",
        ]
        await eventually(lambda: not play.drains("as-2"))
        begun = await play.begin(2 * MORE)
        assert set(begun) == set(NAMES)
        await play.judge(forced, "no time")


@pytest.mark.parametrize("play", ["key"], indirect=True)
async def test_sessions_of_a_key_stay_together_and_a_block_moves_its_keys_alone(
    play: Play,
) -> None:
    async with play.talking():
        before = play.homes(set(play.home))
        assert [key for key, names in before.items() if len(names) != 1] == []
        blocked = play.on("as-1")
        await play.order("block", "as-1", "--reason", "faulty")
        await eventually(lambda: not blocked & set(play.lasting()))
        old = set(play.home)
        await play.begin(2 * KEYS)
        for key, names in play.homes(set(play.home) - old).items():
            assert len(names) == 1
            assert "as-1" not in names
            assert before[key] in (names, {"as-1"})
        # A message may reach its session before the block's own notice.
        await play.judge(blocked, "blocked", "no such session")


async def test_the_sweep_ends_old_routes_once_and_later_ones_go_on(play: Play) -> None:
    async with play.talking():
        old = set(play.home)
        await play.order("set", "--route-limit-seconds", "1", "--timed-route-seconds", "1")
        await eventually(lambda: not play.lasting())
        await play.order("set", "--route-limit-seconds", "86400")
        await play.begin(MORE)
        await play.judge(old, "expired")
