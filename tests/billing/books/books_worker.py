"""The tests' side of books_process.py, and traffic that an oracle checks."""

import json
import os
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from billing import wallet as commands
from poolsite import hotpath
from tests.billing.books.book_support import OTHERS, PRICES
from tests.support import forking
from tests.support.waiting import patient

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).parent / "books_process.py"


class BooksWorker:
    """Real processes on one database: each command runs in its own child."""

    def __init__(self, database_url: str, **environment: str) -> None:
        said = {"DATABASE_URL": database_url, "POOLSITE_LOG_LEVEL": "ERROR", **environment}
        null = Path(os.devnull)
        self.process = forking.talk([str(PROGRAM)], {**os.environ, **said}, errors=null)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def ask(self, verb: str, **order: Any) -> dict[str, Any]:
        """Run one command. Return {"signal", "answer" or "error"}, or {"pid"} with wait=False."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"verb": verb, **order}) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def do(self, verb: str, **order: Any) -> Any:
        """Run one command that must succeed. Return its answer."""
        said = self.ask(verb, **order)
        assert "answer" in said, said
        return said["answer"]

    def end(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(timeout=patient(20))
        self.process.stdout.close()


@dataclass
class Traffic:
    """Random commands on wallets, and the sum of their acknowledged answers."""

    slugs: list[str]
    chance: random.Random
    spendable: int
    credit: int = 0
    path: hotpath.HotPath = field(default_factory=hotpath.default)
    balances: dict[str, int] = field(default_factory=dict)
    messages: dict[str, list[str]] = field(default_factory=dict)
    count: int = 0

    def __post_init__(self) -> None:
        self.balances = dict.fromkeys(self.slugs, self.spendable)
        self.messages = {slug: [] for slug in self.slugs}

    def run(self, to_run: int) -> None:
        """Send `commands` commands. Each answer is checked against the oracle."""
        for _ in range(to_run):
            self._one(self.chance.choice(self.slugs))

    def _one(self, slug: str) -> None:
        self.count += 1
        dice = self.chance.random()
        known = self.messages[slug]
        if dice < 0.5 or not known:
            message = f"m{self.count}"
            request = commands.HoldRequest(
                message, "h", commands.Quote(PRICES, 7, OTHERS), sent=self.chance.random() < 0.5
            )
            charge = self.path.run(commands.hold(slug, request))
            assert (charge.answer == "held") == (self.balances[slug] + self.credit >= 800)
            if charge.answer == "held":
                self.balances[slug] -= 800
                known.append(message)
        elif dice < 0.9:
            message = known.pop(self.chance.randrange(len(known)))
            mode = self.chance.choice(["native_text", "video", "yuexin_resolved", ""])
            report = commands.DeliveryReport(message, True, bool(mode), mode)
            charge = self.path.run(commands.report(slug, report))
            self.balances[slug] += 800 - {**PRICES, **OTHERS, "": 0}[mode]
            assert charge.state in ("settled", "failed")
        else:
            amount = self.chance.randint(1, 5_000)
            moved = self.path.run(commands.move(slug, f"r{self.count}", "recharge", amount))
            assert moved.applied
            self.balances[slug] += amount

    def check(self) -> None:
        """Check that Redis agrees with the oracle."""
        for slug, expected in self.balances.items():
            now = self.path.run(commands.balance(slug))
            assert now is not None
            assert (now.bal, now.held) == (expected, 800 * len(self.messages[slug]))
