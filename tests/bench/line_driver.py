"""Matches at a steady rate, from a process of its own: an agent ends a room and has the next.

    line_driver.py <redis url> <setup file> <matches a second> <seconds> <file>

For each one visitor joins at the end, so that the line stays as long. Writes as JSON, for each
match, the visitor and the times (Unix seconds) before asking and after hearing.
"""

import json
import sys
import time
from pathlib import Path

import redis

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from queueing.line import desk
from tests.bench.line_setup import SLUG
from tests.bench.pools import words


def main(url: str, setup: str, rate: str, seconds: str, result: str) -> None:
    """Run for the time, then write."""
    told = json.loads(Path(setup).read_text())
    agents, queue = told["agents"], told["queue"]
    matches: list[tuple[str, float, float]] = []
    rooms = {agent: f"{agent}room" for agent in agents}
    with redis.Redis.from_url(url, decode_responses=True) as client:
        for command in (desk.join(SLUG, "x", queue), desk.finish(SLUG, 1, "x")):
            list(words(client, [command]))  # loads the scripts
        began = time.monotonic()
        for number in range(round(float(rate) * float(seconds))):
            ahead = began + number / float(rate) - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            agent = agents[number % len(agents)]
            client.execute_command(*desk.join(SLUG, f"late{number:08d}", queue).evalsha())
            before = time.time()
            finish = desk.finish(SLUG, agent, rooms[agent])
            reply = client.execute_command(*finish.evalsha())
            after = time.time()
            assert (reply[0], reply[3][:1]) == ("ok", "r"), reply
            rooms[agent] = reply[3][1:]
            matches.append((rooms[agent], before, after))
    Path(result).write_text(json.dumps(matches))


if __name__ == "__main__":
    main(*sys.argv[1:])
