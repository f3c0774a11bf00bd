"""For each action the old snapshot plus the changes equals the new snapshot, in every topic."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from poolsite import hotpath
from poolsite.access import ANONYMOUS, Decision, Principal
from poolsite.live import Snapshot, Topic
from queueing.admission import gate as commands
from queueing.admission import services
from queueing.admission.models import Gate, TaskBatch
from queueing.admission.topics.batches import BatchesTopic, BatchTopic
from queueing.admission.topics.figures import GateFiguresTopic, GateListTopic
from queueing.admission.topics.holders import HoldersTopic, LineTopic
from tests.admission.people import SLUG, done, drain, make_batch, make_gate, report
from tests.live.helpers import as_the_browser_gets_it, assert_snapshot_plus_changes
from tests.numbers.people import operator, tenant
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]


def gate() -> Gate:
    return Gate.objects.get(slug=SLUG)


def batch() -> TaskBatch:
    return TaskBatch.objects.select_related("gate").get()


def issue_and_return() -> None:
    told = report("d1")
    report("d1", done(told))


def free_one() -> None:
    found = hotpath.run(commands.holders(SLUG))
    row = found.rows[0]
    services.permit_free(
        actor="test", gate=gate(), holder=row.holder, token=row.token, reason="hangs"
    )


def extend() -> None:
    later = timezone.now() + timedelta(hours=5)
    services.batch_extend(actor="test", batch=batch(), closes_at=later)


ACTIONS: dict[str, Callable[[], Any]] = {
    "acquire": lambda: hotpath.run(commands.acquire(SLUG, "h9")),
    "incr": lambda: hotpath.run(commands.incr(SLUG)),
    "decr": lambda: hotpath.run(commands.decr(SLUG)),
    "issue": lambda: report("d3"),
    "wait": lambda: [report(f"d{n}") for n in range(3, 9)],
    "result": issue_and_return,
    "free": free_one,
    "resize": lambda: services.gate_resize(actor="test", gate=gate(), cap=2),
    "configure": lambda: services.gate_configure(actor="test", gate=gate(), cap=9, attempts=2),
    "pin": lambda: services.gate_pin(actor="test", gate=gate(), cap=3, reason="why"),
    "pause": lambda: services.gate_pause(actor="test", gate=gate(), reason="why"),
    "batch pause": lambda: services.batch_pause(actor="test", batch=batch(), reason="why"),
    "batch cancel": lambda: services.batch_cancel(actor="test", batch=batch(), reason="why"),
    "batch extend": extend,
    "sweep": lambda: let_time_pass("admission.gate"),
    "drain": lambda: drain(gate()),
    "observe": lambda: hotpath.run(commands.observe(SLUG, 99)),
    "another batch": lambda: make_batch(gate(), ["x", "y"]),
}


@pytest.fixture
def world() -> TaskBatch:
    """A gate of six with a holder, an anonymous one, two running tasks, and some that wait."""
    made = make_gate(cap=6, look_ahead=1000)
    batch = make_batch(made, [f"d{n}" for n in range(12)])
    hotpath.run(commands.acquire(SLUG, "h1"))
    hotpath.run(commands.incr(SLUG))
    report("d1")
    report("d2")
    return batch


def topics(batch: TaskBatch) -> list[Topic]:
    keys: list[tuple[type[Topic], str]] = [
        (GateFiguresTopic, SLUG),
        (GateListTopic, "all"),
        (HoldersTopic, SLUG),
        (LineTopic, SLUG),
        (BatchTopic, str(batch.pk)),
        (BatchesTopic, SLUG),
    ]
    return [kind(key) for kind, key in keys]


@pytest.mark.parametrize("name", list(ACTIONS))
async def test_a_snapshot_and_its_changes_are_the_new_snapshot(name: str, world: TaskBatch) -> None:
    watched = topics(world)
    before = [await topic.snapshot() for topic in watched]
    await sync_to_async(ACTIONS[name], thread_sensitive=True)()
    for topic, old in zip(watched, before, strict=True):
        await _assert_follows(topic, old)


async def _assert_follows(topic: Topic, before: Snapshot) -> None:
    changes = await topic.changes(before.version)
    assert changes is not None, topic.address
    state = as_the_browser_gets_it(before.data)
    if changes.data is not None:
        state = topic.apply(state, as_the_browser_gets_it(changes.data))
    after = await type(topic)(topic.key).snapshot()
    assert _still(state) == _still(as_the_browser_gets_it(after.data)), topic.address


def _still(state: Any) -> Any:
    """Return the state without what moves every second."""
    if isinstance(state, dict):
        moving = ("eta_seconds", "per_minute", "in_time")
        return {key: _still(value) for key, value in state.items() if key not in moving}
    return state


async def test_figures_follow_an_action_exactly(world: TaskBatch) -> None:
    act = sync_to_async(ACTIONS["resize"], thread_sensitive=True)
    after = await assert_snapshot_plus_changes(GateFiguresTopic(SLUG), act)
    assert after.data["cap"] == 2


async def test_holders_tell_device_task_and_lease(world: TaskBatch) -> None:
    rows = (await HoldersTopic(SLUG).snapshot()).data["rows"]
    assert set(rows) >= {"h1", "@d1", "@d2"}
    assert rows["@d1"]["device"] == "d1"
    assert rows["@d1"]["deadline_us"] - rows["@d1"]["granted_us"] == 300_000_000


def foreign_world() -> tuple[str, str, dict[Decision, list[Principal]]]:
    """Return a tenant's gate and batch, and the users who may watch them."""
    mine, other = tenant("mine"), tenant("other")
    batch = make_batch(make_gate(account=mine.account), ["a"])
    readers = {
        Decision.ALLOW: [mine.principal, operator()],
        Decision.HIDDEN: [other.principal],
        Decision.LOGIN: [ANONYMOUS],
    }
    return str(batch.pk), str(mine.account.pk), readers


async def test_foreign_gates_look_missing() -> None:
    batch, account, readers = await sync_to_async(foreign_world)()
    for decision, principals in readers.items():
        for principal in principals:
            for kind, key in ((HoldersTopic, SLUG), (BatchTopic, batch), (LineTopic, SLUG)):
                assert await kind(key).allowed(principal) is decision
    mine, other = readers[Decision.ALLOW][0], readers[Decision.HIDDEN][0]
    assert await GateListTopic("all").allowed(mine) is Decision.FORBIDDEN
    assert await GateListTopic(account).allowed(other) is Decision.HIDDEN


@pytest.mark.parametrize("kind", [GateFiguresTopic, HoldersTopic, LineTopic, BatchesTopic])
@pytest.mark.parametrize("key", ["", "A", "a:b", "x" * 41, "a\n"])
def test_nonsense_is_no_topic(kind: type[Topic], key: str) -> None:
    with pytest.raises(ValueError, match="not a gate"):
        kind(key)
