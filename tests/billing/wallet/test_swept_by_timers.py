"""The running timers end what has expired, and nothing at the limit: 72:00:00.000 is valid."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from billing import wallet
from billing.wallet import LoadRow, MessageState
from poolsite import hotpath
from poolsite.runtime.redis_server import RedisServer
from poolsite.timers import state
from tests.billing.wallet.wallet_support import HOURS_72, KEYS, SLUG, WalletUnderTest, wallet_on
from tests.support import forking
from tests.support.clock import ScriptClock
from tests.support.processes import Process, end
from tests.support.waiting import until

pytestmark = pytest.mark.processes
UNDER_THE_TEST_CLOCK = str(Path(__file__).with_name("timers_process.py"))
REPORT_US, MESSAGE_US, CALL_US = HOURS_72 * 1_000_000, 600_000_000, 60_000_000
MS = 1_000
RICH = 100_000
QUOTED = 500
Run = Callable[..., None]


@pytest.fixture
def run(tmp_path: Path, clean_redis: RedisServer) -> Iterator[Run]:
    """A function that starts a program running the timers, without SQL."""
    hotpath.reset()
    running: list[Process] = []
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path}/nowhere/there-is-none.sqlite3",
        "REDIS_URL": clean_redis.url,
        "POOLSITE_DATA_DIR": str(tmp_path),
    }
    log = tmp_path / "timers.log"

    def start(*words: str) -> None:
        running.append(forking.start(words, environment, output=log))

    yield start
    end(*running)


def message(name: str, state: str, since_us: int, **more: Any) -> MessageState:
    said: dict[str, Any] = {"kind": "message", "quoted": QUOTED, "prices": {"video": QUOTED}}
    return MessageState(
        message_id=name, state=state, since_us=since_us, body_hash="body", **(said | more)
    )


def load(bench: WalletUnderTest, messages: list[MessageState]) -> None:
    """Load the wallet as after a rebuild, with these messages, and open it."""
    bench.create(RICH, status="recovering")
    for first in range(0, len(messages), wallet.LOAD_LIMIT):
        part = messages[first : first + wallet.LOAD_LIMIT]
        loaded = bench.run(wallet.load(SLUG, [LoadRow(each) for each in part]))
        assert set(loaded.answers) == {"loaded"}
    bench.run(wallet.status(SLUG, "open", "rebuilt", "open"))  # which notifies the timers


def ends(bench: WalletUnderTest) -> dict[str, wallet.WalletChange]:
    """Return the entries that record how a message ended."""
    kinds = ("settle", "fail", "expire", "cancel")
    return {
        each.id: each for each in bench.changes() if each.kind in kinds or each.flag == "orphan"
    }


def test_the_timers_end_what_is_one_millisecond_past_its_time_and_nothing_at_it(
    run: Run, test_clock: ScriptClock, clean_redis: RedisServer
) -> None:
    now = test_clock.now_us
    of_kind: dict[str, tuple[str, int, dict[str, Any]]] = {
        "sent": ("sent", REPORT_US, {}),
        "sent2": ("sent", REPORT_US, {}),
        "unsent": ("held", MESSAGE_US, {}),
        "call": ("held", CALL_US, {"kind": "call"}),
        "parked": ("parked", REPORT_US, {"parked": "video", "quoted": 0, "prices": {}}),
        "unpaid": ("unpaid", REPORT_US, {"kind": "session", "prices": {"native_session": QUOTED}}),
    }
    with wallet_on(clean_redis.url, test_clock) as bench:
        run(UNDER_THE_TEST_CLOCK)
        messages = [
            message(f"{name}-{when}", its_state, now - period - past, **more)
            for name, (its_state, period, more) in of_kind.items()
            for when, past in (("at-its-time", 0), ("past-it", MS))
        ]
        load(bench, messages)
        until(lambda: len(ends(bench)) == len(of_kind))
        assert set(ends(bench)) == {f"{name}-past-it" for name in of_kind}
        assert (bench.balance().held, bench.balance().open) == (4 * QUOTED, 4)

        # 72:00:00.000 is still valid, 72:00:00.001 is not.
        charge = bench.report("video", "sent-at-its-time")
        assert (charge.answer, charge.charged) == ("settled", QUOTED)
        charge = bench.report("video", "sent-past-it")
        assert (charge.state, charge.charged, charge.flag) == ("expired", 0, "late")

        # One millisecond later; the timers visit because settings that they must know changed.
        bench.pass_time(0.001)
        soon = wallet.WalletSettings(unsent_call_seconds=59)
        bench.run(wallet.configure(SLUG, soon, now=bench.now))
        until(lambda: "sent2-at-its-time" in ends(bench))
        charge = bench.report("video", "sent2-at-its-time")
        assert (charge.state, charge.flag) == ("expired", "late")
        until(lambda: bench.balance().held == 0)
        assert bench.balance().bal == RICH + 7 * QUOTED  # of eight holds, one was charged
        assert bench.client.zcard(KEYS.deadlines) == 0
        assert bench.client.zcard(KEYS.unpaid) == 0


@pytest.mark.prove
def test_by_the_real_clock_each_message_ends_on_its_side_of_the_edge(
    run: Run, clean_redis: RedisServer
) -> None:
    """400 messages reach 72 h two milliseconds apart, while the timers and reports race."""
    count, gap_us, lead_us = 400, 2 * MS, 300 * MS
    with wallet_on(clean_redis.url) as bench:
        run("manage.py", "timers")
        until(lambda: state.read().running)
        seconds, micros = bench.client.time()
        first = seconds * 1_000_000 + micros + lead_us - REPORT_US
        since = {f"m{place:03d}": first + place * gap_us for place in range(count)}
        since["early"] = first + 3_600 * 1_000_000  # at least one, on a busy machine too
        load(bench, [message(name, "sent", at_us) for name, at_us in since.items()])
        bench.report("video", "early")
        place = 0
        while place <= count:
            seconds, micros = bench.client.time()
            place = (seconds * 1_000_000 + micros - REPORT_US - first) // gap_us
            for near in (place - 1, place, place + 1, place + 2):
                if 0 <= near < count and near % 4:  # every fourth gets no report
                    bench.report("video", f"m{near:03d}")
        until(lambda: len(ends(bench)) == len(since))
        found = ends(bench)
        for name, at_us in since.items():
            in_time = found[name].at_us - at_us <= REPORT_US
            assert found[name].kind == ("settle" if in_time else "expire"), name
        ended = [each.id for each in bench.changes() if each.kind in ("settle", "expire")]
        assert len(ended) == len(set(ended)) == len(since)
        assert {found[f"m{place:03d}"].kind for place in range(0, count, 4)} == {"expire"}
        assert found["early"].kind == "settle"
        charged = sum(each.kind == "settle" for each in found.values()) * QUOTED
        assert (bench.balance().held, bench.balance().bal) == (
            0,
            RICH + len(since) * QUOTED - charged,
        )
