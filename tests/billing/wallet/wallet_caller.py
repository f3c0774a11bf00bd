"""A process among many on one wallet. test_concurrency runs it; it counts for itself.

python wallet_caller.py <redis url> <name> <holds> <recharges> <amount>

It prints that it is ready and waits for a line. Then it mixes holds and recharges, every tenth of
them twice (a second click), the money operations under its own IDs. It prints the IDs that were
held and the lowest balance that was reported.
"""

import random
import sys

import poolsite  # noqa: F401  first: see poolsite/__init__.py
from billing import wallet
from poolsite import hotpath
from tests.billing.wallet.wallet_support import SLUG, request


def main() -> None:
    url, name, holds, recharges, amount = sys.argv[1:]
    chance = random.Random(name)
    path = hotpath.HotPath(url)
    path.run(wallet.balance(SLUG))
    work: list[tuple[str, str]] = [("hold", f"{name}-{n}") for n in range(int(holds))]
    work += [("recharge", f"{name}-r{n}") for n in range(int(recharges))]
    chance.shuffle(work)
    print("ready", flush=True)
    sys.stdin.readline()
    held, lowest = [], 0
    for kind, word in work:
        again = chance.random() < 0.1
        if kind == "hold":
            answers = [path.run(wallet.hold(SLUG, request(word))) for _ in range(1 + again)]
            said = [charge.answer for charge in answers]
            if "held" in said:  # the second click may come after a recharge
                held.append(word)
                assert said in (["held"], ["held", "repeat"], ["insufficient balance", "held"])
        else:
            moves = [wallet.move(SLUG, word, "recharge", int(amount)) for _ in range(1 + again)]
            answers = [path.run(move) for move in moves]
            assert [each.answer for each in answers] == ["applied", "repeat"][: len(answers)]
        lowest = min(lowest, *(each.bal for each in answers))
    print(lowest, *held)


if __name__ == "__main__":
    main()
