"""Walks over a whole pool in Redis: mends its structure, sets regions, corrects counters."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from numbers import pool as commands
from numbers import regions
from numbers.models import Pool
from poolsite import hotpath

PART = 500
KEYS = ("idle", "near", "timers")


@dataclass
class Problems:
    """What contradicts the numbers' states: problem → its count and its first numbers."""

    counts: dict[str, int] = field(default_factory=dict)
    samples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, problem: str, number: str) -> None:
        """Count a problem, and store its first twenty numbers."""
        self.counts[problem] = self.counts.get(problem, 0) + 1
        names = self.samples.setdefault(problem, [])
        if len(names) < 20:
            names.append(number)

    def __len__(self) -> int:
        return sum(self.counts.values())


Page = Mapping[str, commands.NumberState]


def pages(slug: str, what: str = "numstate", *, mend: bool = False) -> Iterator[commands.Scanned]:
    """Yield every part of one of the pool's keys. As with any SCAN, a number can come twice."""
    cursor = 0
    while True:
        scanned = hotpath.run(commands.scan(slug, what, cursor, count=PART, mend=mend))
        if scanned is None:
            return
        yield scanned
        cursor = scanned.cursor
        if not cursor:
            return


def scan_structure(
    slug: str, *, mend: bool, look: Callable[[Page], None] | None = None
) -> Problems:
    """Walk the pool once. Report (or mend) inconsistencies within Redis.

    `look` is called with the states of each part. The counters are compared only if nothing changed
    meanwhile; those of a busy pool are compared at the next quiet moment.
    """
    problems = Problems()
    totals = _Totals()
    for scanned in pages(slug, mend=mend):
        states: dict[str, commands.NumberState] = {}
        for number, text, problem in scanned.numbers:
            state = commands.parse_state(number, text)
            if state is not None:
                states[number] = state
            if problem:
                problems.add(problem, number)
        totals.add(scanned.seq, states)
        if look is not None:
            look(states)
    for what in KEYS:
        for scanned in pages(slug, what, mend=mend):
            for number, _, problem in scanned.numbers:
                problems.add(problem, number)
    totals.compare(slug, problems, mend=mend)
    return problems


@dataclass
class _Totals:
    """The counters as a complete walk finds them, valid if the pool did not change."""

    seqs: set[int] = field(default_factory=set)
    seen: int = 0
    up: int = 0
    busy_down: int = 0
    quarantined: int = 0

    def add(self, seq: int, states: Page) -> None:
        self.seqs.add(seq)
        if len(self.seqs) > 1:
            return  # the pool changed: the counters can't be compared
        self.seen += len(states)
        for state in states.values():
            if not state.readable:
                continue
            self.up += state.up
            self.busy_down += state.busy and not state.up
            self.quarantined += state.quarantined

    def compare(self, slug: str, problems: Problems, *, mend: bool) -> None:
        if len(self.seqs) != 1:
            return
        (seq,) = self.seqs
        figures = hotpath.run(commands.show(slug))
        if figures is None or figures.seq != seq or figures.numbers != self.seen:
            return  # it changed, or a scan returned a number twice: compare another time
        found = hotpath.run(
            commands.recount(
                slug,
                seq,
                up=self.up,
                busy_down=self.busy_down,
                quarantined=self.quarantined,
                mend=mend,
            )
        )
        if found is not None and found != (self.up, self.busy_down, self.quarantined):
            problems.add("counters", slug)


def refresh_numbers(pool: Pool) -> None:
    """Visit every number, after `near` was turned on or the daily cap changed."""
    for scanned in pages(pool.slug, mend=True):
        if pool.near:
            wanted = {number: regions.area(number) for number, _, _ in scanned.numbers}
            _label(pool.slug, wanted)


def _label(slug: str, wanted: dict[str, str]) -> None:
    items = list(wanted.items())
    for start in range(0, len(items), commands.ROWS_LIMIT):
        hotpath.run(commands.label(slug, dict(items[start : start + commands.ROWS_LIMIT])))
