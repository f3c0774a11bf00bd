"""Named holders that race for permits. test_gate_caps runs it; it knows Redis and the system.

python holder_caller.py <redis url> <sha of acquire> <sha of release> <socket> <first> <count>

Each holder asks until it gets a permit, works at the external system (counting_system.py),
and gives its permit back, depending on what the system has answered. A permit that is no longer
its own when it gives it back is printed.
"""

import random
import socket
import sys
import threading
import time
from dataclasses import dataclass

import redis

TAG = "{gate.tower}"


@dataclass
class Holder:
    name: str
    client: "redis.Redis"
    acquire: str
    release: str
    system: str

    def live(self) -> None:
        chance = random.Random(self.name)
        while True:
            asked = time.time_ns() // 1_000
            reply = self.client.evalsha(self.acquire, 1, TAG, self.name)
            if reply[0] == "1":
                words = f"{self.name} {asked} {time.time_ns() // 1_000}"
                self.work(str(reply[1]), words, chance.uniform(0.01, 0.06))
            time.sleep(chance.uniform(0.02, 0.06))  # waits: the pace of the load

    def work(self, token: str, words: str, seconds: float) -> None:
        with socket.socket(socket.AF_UNIX) as link:
            link.connect(self.system)
            heard = link.makefile()
            link.sendall(f"{words}\n".encode())
            went_well = heard.readline().strip()
            time.sleep(seconds)  # waits: that is the work
            link.sendall(b"bye\n")
            heard.readline()
        ended = self.client.evalsha(self.release, 1, TAG, self.name, token, went_well, "")
        if ended[0] != "1":
            print(self.name, token, *ended, flush=True)


def main() -> None:
    url, acquire, release, system, first, count = sys.argv[1:]
    client = redis.Redis.from_url(url, decode_responses=True)
    names = (f"h{n}" for n in range(int(first), int(first) + int(count)))
    for name in names:
        holder = Holder(name, client, acquire, release, system)
        threading.Thread(target=holder.live).start()


if __name__ == "__main__":
    main()
