"""Row 10: the time from an agent getting free to the room on the next visitor's socket.

10a, the way to the browser. Load: one web process (uvicorn, no compression), 1 000 sockets of 500
people, 500 messages a second from another process, each to both sockets of one person, for 20 s;
then the same while the sockets follow a pool with 5 000 events/s (row 11's load). Time: from before
the PUBLISH to the frame in the process that holds the sockets.

10b, the match before it. Load: two web processes, 5 000 waiting visitors' sockets in two more,
each following its own visit and answering heartbeats; 500 times a second for 10 s one of 200 agents
ends its room and gets the next visitor in the same step, while another visitor joins the line's
end. Time: from before the agent's ending is sent to Redis to the frame "line.room" in the process
that holds the sockets. The row is short also if a visitor is not notified or a socket is closed.

Left out: the agent's HTTP request, pages that follow the line as well (row 19), TLS, a proxy, a
browser, workers, the drain.
"""

import sys
import tempfile
import time
from pathlib import Path

from poolsite.live import frames, personal_channel
from poolsite.runtime.redis_server import RedisServer
from tests.bench.line_pages import how_it_ran, told_ms, watch
from tests.bench.machine import judged_here
from tests.bench.result import Row, at_most
from tests.bench.row_11_live import NUMBERS, SLUG, TOPICS, Browsers, crowd_of, start_writer
from tests.live.servers import Site, WebServer

SOCKETS = 1_000
PEOPLE = 500
MESSAGES_PER_SECOND = 500
SECONDS = 20.0
MARK_MS = 50.0
PAGES, MATCHES_PER_SECOND, MATCH_SECONDS = 5_000, 500.0, 10.0


def run() -> list[Row]:
    """Measure the way to the browser, then the way with the match before it."""
    return [personal(), matched()]


def matched(pages: int = PAGES) -> Row:
    """Hold the pages, match, and judge how late each visitor was notified."""
    seen = watch(pages, MATCHES_PER_SECOND, min(MATCH_SECONDS, pages / 500), follows="visit")
    told = told_ms(seen)
    wanted = min(pages, len(seen.matches))
    assert told, "nobody was told"
    p99 = told[len(told) * 99 // 100]
    took = seen.matches[-1][2] - seen.matches[0][1]
    passed = p99 <= MARK_MS and len(told) == wanted and not seen.closed
    return Row(
        row="10b",
        name=f"agent free → visitor's socket, {MATCHES_PER_SECOND:.0f} matches/s asked for",
        ours=f"p99 {p99:.1f} ms, {100 * len(told) / wanted:.4g} % told",
        reference="-",
        ratio=None,
        mark=f"p99 ≤ {MARK_MS:.0f} ms",
        verdict=judged_here(passed),
        notes=(
            f"{len(told)} of {wanted} told at {len(seen.matches) / took:.0f} matches/s, p50"
            f" {told[len(told) // 2]:.1f} ms, longest {told[-1]:.0f} ms; {how_it_ran(seen)}"
        ),
        figures={"p99_ms": p99, "p50_ms": told[len(told) // 2], "told": len(told) / wanted},
    )


def personal() -> Row:
    """Measure without and with the pool's load. The p99 without it is judged."""
    with tempfile.TemporaryDirectory(prefix="row10-", dir="/tmp") as folder:
        redis = RedisServer(Path(folder) / "redis", append_only=False).start()
        try:
            site = Site(Path(folder) / "site", redis.url).make()
            site.meet(*(f"operator{number}" for number in range(PEOPLE)))
            site.run("-m", "tests.bench.live_pool", SLUG, str(NUMBERS))
            quiet = _measure(redis, site, [], loaded=False)
            loaded = _measure(redis, site, TOPICS, loaded=True)
        finally:
            redis.stop()
    p99 = quiet[int(len(quiet) * 0.99)]
    return Row(
        row="10a",
        name="personal message → socket, 500/s",
        ours=f"p99 {p99:.1f} ms",
        reference="-",
        ratio=None,
        mark=f"p99 ≤ {MARK_MS:.0f} ms",
        verdict=at_most(MARK_MS, p99),
        notes=(
            f"{len(quiet)} deliveries, p50 {quiet[len(quiet) // 2]:.1f} ms; beside"
            f" 1 000 sockets on a pool with 5 000 events/s: p50 {loaded[len(loaded) // 2]:.1f} ms,"
            f" p99 {loaded[int(len(loaded) * 0.99)]:.1f} ms"
        ),
        figures={"p99_ms": p99, "p99_loaded_ms": loaded[int(len(loaded) * 0.99)]},
    )


def _measure(redis: RedisServer, site: Site, topics: list[str], *, loaded: bool) -> list[float]:
    """Return the deliveries' times in ms, ascending. Raise AssertionError if one is missing."""
    web = WebServer(site, "uvicorn", application="poolsite.asgi:application").start()
    browsers = None
    try:
        browsers = Browsers.start(site, web.port, topics, SOCKETS)
        writer = start_writer(site, SECONDS + 2) if loaded else None
        time.sleep(2)
        browsers.report()
        sent = _publish(redis, site)
        wanted = sent * SOCKETS // PEOPLE
        times: list[float] = []
        for _ in range(20):
            time.sleep(0.5)
            times += [seconds * 1000 for seconds in browsers.report()["personal"]]
            if len(times) >= wanted:
                break
        if writer is not None:
            writer.communicate(timeout=60)
    finally:
        if browsers is not None:
            browsers.stop()
        web.stop()
    if len(times) != wanted:
        raise AssertionError(f"{len(times)} of {wanted} messages arrived")
    return sorted(times)


def _publish(redis: RedisServer, site: Site) -> int:
    """Publish at a steady rate, to one person after the other. Return the number of messages."""
    people = [who["user"] for who in crowd_of(site)]
    sent = 0
    with redis.client() as client:
        began = time.monotonic()
        while sent < MESSAGES_PER_SECOND * SECONDS:
            person = people[sent % len(people)]
            text = frames.personal("match", {"at": time.time()})
            client.publish(personal_channel(f"user:{person}"), text)
            sent += 1
            ahead = began + sent / MESSAGES_PER_SECOND - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
    return sent


if __name__ == "__main__":
    rows = [matched(int(sys.argv[1]))] if sys.argv[1:] else run()
    sys.stdout.write("".join(f"{row.as_json()}\n" for row in rows))
