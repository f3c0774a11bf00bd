"""A process that makes calls and keeps its own log. test_pool_soak runs it; it knows only Redis.

python pool_caller.py <redis url> <sha of numbers/event> <name> <calls> <seed>

Prints, for each call that it had, number, begin and end in ns of the machine's steady clock. It
takes a number as its own only after the reply, and gives it up before it sends the hangup, so two
overlapping lines of any callers mean that the pool lent one number twice.
"""

import random
import sys
import time

import redis

HELD_AT_ONCE = 8


def main() -> None:
    url, sha, name, count, seed = sys.argv[1:]
    chance = random.Random(int(seed))
    client = redis.Redis.from_url(url, decode_responses=True)
    holds: list[tuple[str, str, int]] = []
    made = 0

    def send(*words: str) -> list[str]:
        reply: list[str] = client.evalsha(sha, 1, "{numpool}", *words)
        return reply

    def give_up_one() -> None:
        number, call_id, begin = holds.pop(chance.randrange(len(holds)))
        print(number, begin, time.monotonic_ns())
        words = ("hangup", chance.choice([number, "-"]), "call_id", call_id, "switch", name)
        assert send(*words)[0] == "1"
        if chance.random() < 0.1:  # the same message again
            assert send(*words)[3] in ("repeat", "ended")

    while made < int(count):
        if holds and (len(holds) >= HELD_AT_ONCE or chance.random() < 0.5):
            give_up_one()
            continue
        call_id = f"{name}-{made}"
        words = ("call", "-", "call_id", call_id, "switch", name, "agent", name, "callee", "139")
        reply = send(*words)
        made += 1
        if reply[0] == "1":
            holds.append((reply[1], call_id, time.monotonic_ns()))
            if chance.random() < 0.1:
                assert send(*words)[1] == reply[1]
        elif holds:
            give_up_one()
        if chance.random() < 0.05:  # phones come and go in the middle of calls
            send(chance.choice(["unreg", "reg"]), f"138{chance.randrange(50):08d}")
    while holds:
        give_up_one()


if __name__ == "__main__":
    main()
