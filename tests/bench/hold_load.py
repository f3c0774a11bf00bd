"""A process that makes holds at a steady rate. Row 18 runs it.

python -m tests.bench.hold_load <redis url> <slugs, by commas> <ticks per second>
<holds in one write> <seconds> <begin: seconds since 1970> <seed>

Each tick has one write of holds of new messages on the next account, at a random moment of the
tick: two loads that began together would otherwise meet at every tick. The bytes are made before
the first write. Prints as JSON: the number of holds, of writes that were late (sent 0.1 s after
their moment) and of holds that were refused, and the writes' latencies in ms.
"""

import json
import random
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
    url, names, rate, in_one_write, seconds, begin, seed = sys.argv[1:]
    slugs, period, size = names.split(","), 1 / float(rate), int(in_one_write)
    ticks = int(float(seconds) * float(rate))
    client = redis.Redis.from_url(url, decode_responses=True)
    asked = [
        wallet.hold(slugs[tick % len(slugs)], hold_request(tick * size + place))
        for tick in range(ticks)
        for place in range(size)
    ]
    sent = library_words(client, asked)
    connection = client.connection_pool.get_connection()
    writes = [connection.pack_commands(list(islice(sent, size))) for _ in range(ticks)]
    moments = random.Random(seed)
    latencies, late, replies = [], 0, []
    for tick, write in enumerate(writes):
        wait = float(begin) + (tick + moments.random()) * period - time.time()
        if wait > 0:
            time.sleep(wait)
        elif wait < -0.1:
            late += 1
        start = time.perf_counter()
        connection.send_packed_command(write)
        replies += [connection.read_response() for _ in range(size)]
        latencies.append((time.perf_counter() - start) * 1e3)
    refused = sum(charge.answer != "held" for charge in map(read_reply, asked, replies))
    print(json.dumps({"holds": ticks * size, "late": late, "refused": refused, "ms": latencies}))


if __name__ == "__main__":
    main()
