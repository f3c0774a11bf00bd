"""A process of devices with their own log, run by test_gate_soak. It knows only Redis.

python device_caller.py <redis url> <sha of admission/report> <first> <count> <seed>

Prints `begin <ns> <device> <token> <until>` once a task is at work, `end <ns> <device> <token>`
when it stops; ns of the machine's steady clock. A device takes work up only after the reply,
once for each token, and stops by its deadline. Replies are lost, reports doubled, and results
sent again. Every tenth device holds its first result back until the permit has ended and another
attempt runs: that result is certainly late. Ends when no device has work left.
"""

import random
import sys
import time
from dataclasses import dataclass, field

import redis

TAG = "{gate.tower}"


@dataclass
class Device:
    name: str
    task: str = ""
    token: str = ""
    stops_ns: int = 0
    until_ns: int = 0
    next_ns: int = 0
    done: bool = False
    holds_back: bool = False
    held_back: list[tuple[str, str]] = field(default_factory=list)
    results: list[tuple[str, str]] = field(default_factory=list)


def main() -> None:
    url, sha, first, count, seed = sys.argv[1:]
    chance = random.Random(int(seed))
    client = redis.Redis.from_url(url, decode_responses=True)
    numbers = range(int(first), int(first) + int(count))
    devices = [Device(f"d{n}", holds_back=n % 10 == 0) for n in numbers]
    while any(not device.done for device in devices):
        now = time.monotonic_ns()
        for device in devices:
            stop_when_due(device, now)
            if not device.done and device.next_ns <= now:
                report(client, sha, device, chance)
        time.sleep(0.002)  # waits: the pace of the load


def stop_when_due(device: Device, now: int) -> None:
    if device.task and now >= min(device.stops_ns, device.until_ns):
        print("end", time.monotonic_ns(), device.name, device.token, flush=True)
        finished = device.stops_ns <= device.until_ns
        if finished and not device.holds_back:
            device.results.append((device.task, device.token))
        else:
            device.held_back.append((device.task, device.token))
            device.holds_back = False
        device.task = ""


def overtaken(device: Device) -> bool:
    """Return whether a result is held back and a newer attempt has begun since."""
    return bool(device.held_back) and device.held_back[0][1] != device.token


def report(client: "redis.Redis", sha: str, device: Device, chance: random.Random) -> None:
    results = device.results
    if overtaken(device) and chance.random() < 0.5:
        results = [device.held_back.pop(0), *results]
    words = [device.name, ""]
    for task, token in results:
        words += [task, token, "1", "", ""]
    asked_ns = time.monotonic_ns()
    seconds, micros = client.time()
    asked_us = seconds * 1_000_000 + micros
    for _ in range(2 if chance.random() < 0.1 else 1):
        reply = client.evalsha(sha, 1, TAG, str(len(words)), *words)
    device.next_ns = time.monotonic_ns() + chance.randrange(30_000_000, 90_000_000)
    if chance.random() < 0.1:
        return  # the answer was lost: results will be sent again, the task returned again
    if chance.random() > 0.05:
        device.results = []  # otherwise: sent again
    _, word, task, _, token, until = reply[:6]
    if word == "task" and token != device.token:
        begin(device, task, token, asked_ns + (int(until) - asked_us) * 1_000, chance)
    left = device.task or device.results or overtaken(device)
    device.done = word == "none" and not left


def begin(device: Device, task: str, token: str, until_ns: int, chance: random.Random) -> None:
    now = time.monotonic_ns()
    if now >= until_ns:
        return
    device.task, device.token, device.until_ns = task, token, until_ns
    device.stops_ns = now + chance.randrange(20_000_000, 250_000_000)
    print("begin", now, device.name, token, until_ns, flush=True)


if __name__ == "__main__":
    main()
