"""Row 6: join, and finish with the match inside: 100 000 visitors wait, 10 000 agents serve.

Load: one client, pipelines of 500: a visitor joins the line's end, an agent ends its room and gets
the visitor at the head in the same step, so that the line keeps its length. Plain visitors and
agents (no skills), one queue. Five rounds of 4 000 such pairs; each round also runs the no-op, and
the same load with 100 waiting on a second server, in turn. Compared: Redis' CPU per FCALL
(used_cpu), the median of the rounds, against an EVALSHA that returns 1, without key or argument.
Also reported: the no-op with the keys and arguments of a join, all by INFO commandstats, and 4 000
joins alone, one by one and in lists of 32 (the visitors leave again). At the end as many visitors
wait as at the beginning. Left out: heartbeats, AOF, the drain, subscribers of the pub/sub messages.
"""

from statistics import median

from queueing.line.desk import JOINS_LIMIT
from tests.bench.desks import TAG, Floor
from tests.bench.pools import private_redis
from tests.bench.redis_cpu import CommandCost, no_op_cost
from tests.bench.result import Row, at_most

WAITING, FEW_WAITING, AGENTS = 100_000, 100, 10_000
TURNS, ROUNDS = 4_000, 5
MARK, MARK_SIZES = 14.0, 1.25


def run() -> list[Row]:
    """Measure rounds at both sizes, each with the no-op."""
    with private_redis() as large, private_redis() as small:
        many = Floor(large, AGENTS, WAITING).fill()
        few = Floor(small, AGENTS, FEW_WAITING).fill()
        costs = [
            (
                many.turns(TURNS),
                few.turns(TURNS),
                no_op_cost(large, (0,)),
                no_op_cost(large, many.words_of_a_join()),
                many.joins(TURNS, in_lists=False),
                many.joins(TURNS, in_lists=True),
            )
            for _ in range(ROUNDS)
        ]
        for floor in (many, few):
            assert floor.client.zcard(f"{TAG}:waiting") == floor.waiting
    ours, at_few, bare, worded, single, listed = (
        _median(column) for column in zip(*costs, strict=True)
    )
    ratio = ours.used_cpu_us / bare.used_cpu_us
    sizes = ours.used_cpu_us / at_few.used_cpu_us
    return [
        Row(
            row="6",
            name=f"join, finish with the match, {WAITING:,} waiting, {AGENTS:,} agents",
            ours=f"{ours.used_cpu_us:.2f} µs",
            reference=f"no-op {bare.used_cpu_us:.2f} µs",
            ratio=ratio,
            mark=f"≤ {MARK:.0f}×",
            verdict=at_most(MARK, ratio),
            notes=(
                f"no-op with a join's keys and arguments {worded.used_cpu_us:.2f} µs:"
                f" {ours.used_cpu_us / worded.used_cpu_us:.1f}×; by commandstats"
                f" {ours.commandstats_us:.2f} µs against {bare.commandstats_us:.2f} µs"
            ),
            figures={"commandstats_us": ours.commandstats_us},
        ),
        Row(
            row="6",
            name=f"the same, {WAITING:,} against {FEW_WAITING} waiting",
            ours=f"{ours.used_cpu_us:.2f} µs",
            reference=f"{at_few.used_cpu_us:.2f} µs",
            ratio=sizes,
            mark=f"≤ {MARK_SIZES}×",
            verdict=at_most(MARK_SIZES, sizes),
        ),
        Row(
            row="6",
            name=f"join alone, in lists of {JOINS_LIMIT} against one by one",
            ours=f"{listed.used_cpu_us:.2f} µs",
            reference=f"{single.used_cpu_us:.2f} µs",
            ratio=listed.used_cpu_us / single.used_cpu_us,
            mark="reported",
            verdict="reported",
            notes=f"{listed.used_cpu_us / bare.used_cpu_us:.1f}× a no-op for each visitor",
        ),
    ]


def _median(costs: tuple[CommandCost, ...]) -> CommandCost:
    return CommandCost(
        calls=sum(cost.calls for cost in costs),
        commandstats_us=median(cost.commandstats_us for cost in costs),
        used_cpu_us=median(cost.used_cpu_us for cost in costs),
    )
