"""Random faults for the planner: what may be repeated, and what an outcome guarantees.

The planner does no I/O, so a whole Cluster can be simulated here: two nodes that refuse, lose
replies, forget scripts and hand slots over, between any two exchanges.
"""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from poolsite import hotpath
from poolsite.hotpath import Limits
from poolsite.hotpath.address import parse_address
from poolsite.hotpath.planner import Answers, Groups, Planner, Refresh, Send, Wait
from poolsite.hotpath.replies import ErrorReply, Lost, NotSent
from poolsite.hotpath.routing import Router, slot_of
from tests.hotpath.support import SCRIPTS

NODES = ("a:1", "b:2")
TAGS = ("{x}", "{y}", "{z}")
ADDRESS = parse_address("redis+cluster://a:1,b:2")


@dataclass
class World:
    """Two nodes, and what happens before and during each exchange."""

    faults: list[tuple[str, int]]
    owner: dict[str, str] = field(
        default_factory=lambda: dict.fromkeys(TAGS, "a:1") | {"{y}": "b:2"}
    )
    held: dict[str, set[str]] = field(default_factory=lambda: {node: set() for node in NODES})
    executed: list[str] = field(default_factory=list)  # labels, in order, with repetitions
    done: set[str] = field(default_factory=set)  # operation IDs that have taken effect
    effects: dict[str, int] = field(default_factory=dict)

    def rows(self) -> list[Any]:
        return [
            [slot_of(tag), slot_of(tag), [*node.split(":")]] for tag, node in self.owner.items()
        ]

    def exchange(self, groups: Groups) -> Answers:
        answers: Answers = {}
        for node, commands in groups.items():
            fault, number = self.faults.pop(0) if self.faults else ("none", 0)
            if fault == "refuse":
                answers[node] = [NotSent("refused")] * len(commands)
                continue
            if fault == "flush":
                self.held[node].clear()
            if fault == "move":
                tag = TAGS[number % len(TAGS)]
                self.owner[tag] = NODES[NODES.index(self.owner[tag]) - 1]
            # "lose": `reach` commands are executed, but only the first half of them is answered
            reach = number % (len(commands) + 1) if fault == "lose" else len(commands)
            replies = [self.execute(node, words) for words in commands[:reach]]
            answered = reach // 2 if fault == "lose" else reach
            missing = len(commands) - answered
            answers[node] = replies[:answered] + [Lost("cut")] * missing
        return answers

    def execute(self, node: str, words: tuple[Any, ...]) -> Any:
        match words:
            case ("SCRIPT", "LOAD", text):
                self.held[node] |= {s.sha1 for s in SCRIPTS.values() if s.text == text}
                return "loaded"
            case ("EVALSHA", sha, _, tag, _, label, operation):
                if self.owner[tag] != node:
                    return ErrorReply("MOVED", f"MOVED {slot_of(tag)} {self.owner[tag]}")
                if sha not in self.held[node]:
                    return ErrorReply("NOSCRIPT", "NOSCRIPT no matching script")
            case ("EVAL", _, _, tag, _, label, operation):
                if self.owner[tag] != node:
                    return ErrorReply("MOVED", f"MOVED {slot_of(tag)} {self.owner[tag]}")
            case _:
                raise AssertionError(words)
        self.executed.append(label)
        if not operation or operation not in self.done:
            self.done.add(operation)
            self.effects[label] = self.effects.get(label, 0) + 1
        return ["1"]


def play(world: World, commands: list[hotpath.Command[int]], attempts: int) -> list[Any]:
    router = Router(ADDRESS)
    plan = Planner(router, Limits(attempts, clock=lambda: 0.0)).plan(commands)
    answer: Any = None
    while True:
        try:
            effect = plan.send(answer)
        except StopIteration as done:
            outcomes: list[Any] = done.value
            return outcomes
        answer = None
        if isinstance(effect, Send):
            answer = world.exchange(effect.groups)
        elif isinstance(effect, Refresh):
            router.learn_slots(world.rows(), NODES[0])


FAULTS = st.lists(
    st.tuples(st.sampled_from(["none", "refuse", "flush", "move", "lose"]), st.integers(0, 1_000)),
    max_size=40,
)
COMMANDS = st.lists(st.tuples(st.sampled_from(TAGS), st.booleans()), min_size=1, max_size=12)


@settings(max_examples=400)
@given(faults=FAULTS, wanted=COMMANDS)
def test_no_fault_runs_a_command_twice_and_no_outcome_lies(
    faults: list[tuple[str, int]], wanted: list[tuple[str, bool]]
) -> None:
    script = SCRIPTS["count"]
    commands = [
        hotpath.Command(
            script,
            script.keys_of(tag),
            (str(index), f"op{index}" if safe else ""),
            lambda reply: int(reply[0]),
            f"op{index}" if safe else None,
        )
        for index, (tag, safe) in enumerate(wanted)
    ]
    world = World(list(faults))
    outcomes = play(world, commands, attempts=4)  # few, so that some are given up

    assert len(outcomes) == len(commands)
    for index, (command, outcome) in enumerate(zip(commands, outcomes, strict=True)):
        runs = world.executed.count(str(index))
        assert world.effects.get(str(index), 0) <= 1
        assert command.operation_id is not None or runs <= 1
        if isinstance(outcome, hotpath.Unavailable):
            assert runs == 0
        elif not isinstance(outcome, hotpath.UnknownOutcome):
            assert outcome == 1
            assert runs >= 1
    for tag in TAGS:
        first_runs = list(dict.fromkeys(map(int, world.executed)))
        of_tag = [index for index in first_runs if wanted[index][0] == tag]
        assert of_tag == sorted(of_tag)


@settings(max_examples=200)
@given(
    faults=st.lists(
        st.tuples(st.sampled_from(["none", "flush", "move"]), st.integers(0, 9)), max_size=6
    ),
    wanted=COMMANDS,
)
def test_forgotten_scripts_and_moved_slots_never_reach_the_caller(
    faults: list[tuple[str, int]], wanted: list[tuple[str, bool]]
) -> None:
    script = SCRIPTS["count"]
    commands = [
        hotpath.Command(script, script.keys_of(tag), (str(index), ""), len)
        for index, (tag, _) in enumerate(wanted)
    ]
    world = World(list(faults))
    assert play(world, commands, attempts=16) == [1] * len(commands)
    assert sorted(map(int, world.executed)) == list(range(len(commands)))


def test_nodes_that_send_a_command_to_and_fro_are_given_time_to_agree() -> None:
    """During a hand-over, each node may redirect to the other: attempts must not run out fast."""
    router = Router(ADDRESS)
    router.learn_slots([[slot_of("{x}"), slot_of("{x}"), ["a", "1"]]], NODES[0])
    script = SCRIPTS["count"]
    command = hotpath.Command(script, script.keys_of("{x}"), ("x", ""), len)
    plan = Planner(router, Limits()).plan([command])
    answer: Any = None
    outcomes: list[Any] = []
    waited, redirects = 0.0, 8
    while not outcomes:
        try:
            effect = plan.send(answer)
        except StopIteration as done:
            outcomes = done.value
            continue
        answer = None
        if isinstance(effect, Wait):
            waited += effect.seconds
        elif isinstance(effect, Send):
            ((node, commands),) = effect.groups.items()
            other = NODES[NODES.index(node) - 1]
            moved = ErrorReply("MOVED", f"MOVED {slot_of('{x}')} {other}")
            reply: Any = moved if redirects else ["1"]
            redirects = max(0, redirects - 1)
            answer = {node: ["loaded"] * (len(commands) - 1) + [reply]}
    assert outcomes == [1]
    assert redirects == 0
    assert waited > 0.5
