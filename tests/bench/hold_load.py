"""One process that makes holds at a steady rate: run by row 18.

    python -m tests.bench.hold_load <redis url> <slugs, by commas> <ticks per second>
        <holds in one write> <seconds> <begin: seconds since 1970>

Each tick is one write of holds of new messages on the next account. Prints as JSON: the holds, how
many were late (a tick that could not be sent in time), and the writes' latencies in ms.
"""

import json
import sys
import time
from itertools import islice

import redis

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from billing import wallet
from poolsite.hotpath.planner import read_reply
from tests.bench.pools import library_words
from tests.bench.wallets import hold_request


def main() -> None:
    url, names, rate, in_one_write, seconds, begin = sys.argv[1:]
    slugs, period, size = names.split(","), 1 / float(rate), int(in_one_write)
    ticks = int(float(seconds) * float(rate))
    client = redis.Redis.from_url(url, decode_responses=True)
    asked = [
        wallet.hold(slugs[tick % len(slugs)], hold_request(tick * size + place))
        for tick in range(ticks)
        for place in range(size)
    ]
    sent = library_words(client, asked)
    writes = [list(islice(sent, size)) for _ in range(ticks)]
    latencies, late, replies = [], 0, []
    for tick, write in enumerate(writes):
        due = float(begin) + tick * period
        wait = due - time.time()
        if wait > 0:
            time.sleep(wait)
        elif wait < -0.1:
            late += 1
        pipeline = client.pipeline(transaction=False)
        for command in write:
            pipeline.execute_command(*command)
        start = time.perf_counter()
        replies += pipeline.execute()
        latencies.append((time.perf_counter() - start) * 1e3)
    refused = sum(charge.answer != "held" for charge in map(read_reply, asked, replies))
    print(json.dumps({"holds": ticks * size, "late": late, "refused": refused, "ms": latencies}))


if __name__ == "__main__":
    main()
