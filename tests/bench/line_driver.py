"""A process that makes matches at a steady rate: an agent ends a room and gets the next visitor.

line_driver.py <redis url> <setup file> <matches a second> <seconds> <file>

For each match one visitor joins at the end, so that the line keeps its length. Writes as JSON, for
each match, the visitor and the times (Unix seconds) before the request and after the answer.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any

import redis

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from poolsite.hotpath import Command
from poolsite.hotpath.library import library_of, read_packed
from queueing.line import desk
from tests.bench.line_setup import SLUG


def main(url: str, setup: str, rate: str, seconds: str, result: str) -> None:
    """Run for `seconds`, then write the result."""
    told = json.loads(Path(setup).read_text())
    agents, queue = told["agents"], told["queue"]
    matches: list[tuple[str, float, float]] = []
    rooms = {agent: f"{agent}room" for agent in agents}
    with redis.Redis.from_url(url, decode_responses=True) as client:
        library = library_of(desk.SCRIPTS["join"])
        assert library is not None
        client.function_load(library.text, replace=True)

        def run(command: Command[Any]) -> list[str]:
            words = command.fcall(library.function(command.script), whole=False)
            return read_packed(client.execute_command(*words))

        began = time.monotonic()
        for number in range(round(float(rate) * float(seconds))):
            ahead = began + number / float(rate) - time.monotonic()
            if ahead > 0:
                time.sleep(ahead)
            agent = agents[number % len(agents)]
            run(desk.join(SLUG, f"late{number:08d}", queue))
            before = time.time()
            reply = run(desk.finish(SLUG, agent, rooms[agent]))
            after = time.time()
            assert (reply[0], reply[3][:1]) == ("ok", "r"), reply
            rooms[agent] = reply[3][1:]
            matches.append((rooms[agent], before, after))
    Path(result).write_text(json.dumps(matches))


if __name__ == "__main__":
    main(*sys.argv[1:])
