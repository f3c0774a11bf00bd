"""Row 24's checks, and whether each way lends as it claims. No speed is judged here."""

from collections.abc import Callable, Sequence

import pytest
import redis

from numbers.pool import BATCH_LIMIT
from tests.bench import seed_pool
from tests.bench.lending import Lent, Step, Way, check_all_free, check_lent_once, cpu_us_per_event
from tests.bench.lending_redis import ListAndLock, Ours, Seed
from tests.bench.lending_sql import SkipLocked, postgres
from tests.bench.pools import numbers_of
from tests.bench.redis_cpu import send_pipelined
from tests.support.needs import require

NUMBERS = numbers_of(200)


class Noted:
    """A way in memory, whose server uses a millisecond for each step."""

    def __init__(self, numbers: Sequence[str]) -> None:
        self.numbers, self.taken = list(numbers), list[Sequence[Step]]()

    def prepare(self) -> None:
        pass

    def take(self, steps: Sequence[Step]) -> list[Lent]:
        self.taken.append(steps)
        lent = [Lent(step, self.numbers.pop(0)) for step in steps if not isinstance(step, Lent)]
        self.numbers += [step.number for step in steps if isinstance(step, Lent)]
        return lent

    def cpu_seconds(self) -> float:
        return sum(map(len, self.taken)) / 1_000

    def free(self) -> list[str]:
        return self.numbers


def test_each_call_ends_one_block_later_and_the_cost_is_for_an_event():
    way = Noted(["a", "b", "c", "d", "e"])
    assert cpu_us_per_event(way, range(7, 12), 2) == pytest.approx(1_000)
    a, b, c, d, e = (Lent(7 + place, number) for place, number in enumerate("abcde"))
    assert way.taken == [[7, 8], [9, a, 10, b], [11, c, d], [e]]
    check_all_free(way, ["a", "b", "c", "d", "e"])


def test_a_number_that_two_calls_have_is_found():
    with pytest.raises(AssertionError, match="lent twice"):
        cpu_us_per_event(Noted(["a", "b", "a", "c"]), range(4), 2)
    with pytest.raises(AssertionError, match="lent twice"):
        check_lent_once([Lent(1, "a"), Lent(2, "a")], [], 2)


def test_a_call_without_a_number_is_found():
    with pytest.raises(AssertionError, match="1 calls have no number"):
        check_lent_once([Lent(1, "a")], [], 2)


@pytest.mark.parametrize("free", [["a"], ["a", "b", "b"], ["a", "b", "lock:b"]])
def test_a_number_that_is_lost_or_stands_there_twice_is_found(free):
    with pytest.raises(AssertionError):
        check_all_free(Noted(free), ["a", "b"])


WAYS: dict[str, Callable[[redis.Redis], Way]] = {
    "lists": lambda client: Ours(client, len(NUMBERS), BATCH_LIMIT),
    "single": lambda client: Ours(client, len(NUMBERS), 1),
    "seed": lambda client: Seed(client, NUMBERS),
    "lock": lambda client: ListAndLock(client, NUMBERS),
}


@pytest.mark.parametrize("name", WAYS)
def test_a_way_in_redis_lends_each_number_and_gets_it_back(name, clean_redis):
    with clean_redis.client() as client:
        _lends_and_gets_back(WAYS[name](client))


@pytest.mark.processes
def test_postgresql_lends_each_number_and_gets_it_back():
    require("postgres")
    with postgres(NUMBERS) as server, SkipLocked(server, "off") as way:
        _lends_and_gets_back(way)


def _lends_and_gets_back(way: Way) -> None:
    """Make more calls than there are numbers, a hundred of them at once."""
    cpu_us_per_event(way, range(300), 50)
    check_all_free(way, NUMBERS)
    lent = way.take([1_000, 1_001])
    check_lent_once(lent, [], 2)
    with pytest.raises(AssertionError, match="lost"):
        check_all_free(way, NUMBERS)
    way.take(lent)
    with pytest.raises(AssertionError):  # the same hangup again
        way.take(lent)


def test_the_seed_s_script_follows_its_table_of_states(clean_redis):
    with clean_redis.client() as client:
        sha = seed_pool.fill(client, ["1"])

        def after(*events: str) -> tuple[list[object], list[str], str]:
            words = [
                seed_pool.words(sha, name, *([] if name == "call" else ["1"])) for name in events
            ]
            replies = send_pipelined(client, words)
            return replies, client.lrange(seed_pool.IDLE, 0, -1), client.hget(seed_pool.STATES, "1")

        assert after("hangup", "reg") == (["0", "1"], ["1"], seed_pool.UP)
        replies, idle, state = after("call", "call")
        assert (replies, idle) == (["1", "0"], [])
        assert '"callstate":1' in state
        assert after("unreg", "hangup")[:2] == (["1", "1"], [])  # busy, then down: not ready
        assert after("unreg", "call")[:2] == (["1", "0"], [])
        assert after("reg")[:2] == (["1"], ["1"])
        assert after("unreg")[:2] == (["1"], [])
