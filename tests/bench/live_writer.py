"""A process that makes calls and hangups on one pool at a steady rate.

A program: `live_writer.py <redis url> <tag> <events a second> <seconds>`. Prints as JSON how many
events were done, and the pool's last sequence number with the time at which it was written.
"""

import json
import sys
import time
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

EVENTS_PER_BATCH = 32
CALLS_AT_ONCE = 400


def main(url: str, tag: str, per_second: str, seconds: str) -> None:
    import django
    import redis

    django.setup()
    from numbers.pool import SCRIPTS

    client = redis.Redis.from_url(url, decode_responses=True)
    script = SCRIPTS["events"]
    keys = [tag + suffix for suffix in script.keys]
    sha = client.script_load(script.text)
    prefix = f"{time.time_ns()}-"
    begun = ended = done = 0

    def run(words: list[Any]) -> None:
        client.evalsha(sha, len(keys), *keys, *words)

    began = time.monotonic()
    end = began + float(seconds)
    while time.monotonic() < end or ended < begun:
        words: list[Any] = []
        over = time.monotonic() >= end
        while len(words) < 5 * EVENTS_PER_BATCH and (ended < begun or not over):
            if begun - ended < CALLS_AT_ONCE and not over:
                words += [4, "call", "-", "call_id", f"{prefix}{begun}"]
                begun += 1
            else:
                words += [4, "hangup", "-", "call_id", f"{prefix}{ended}"]
                ended += 1
        run(words)
        done += len(words) // 5
        ahead = began + done / float(per_second) - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
    at = time.time()
    seq = client.hget(tag, "seq")
    print(json.dumps({"events": done, "seq": int(seq or 0), "at": at}))


if __name__ == "__main__":
    main(*sys.argv[1:])
