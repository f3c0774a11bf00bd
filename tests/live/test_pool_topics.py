"""The pools' topics: for each action, the old snapshot with the changes is the new snapshot."""

import random
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from hypothesis import given
from hypothesis import strategies as st

from numbers import pool as commands
from numbers import services
from numbers.models import Number, Pool
from numbers.selectors import tile_layout
from numbers.selectors.tile_layout import TILES_PER_PAGE
from numbers.topics import story, tiles
from numbers.topics.figures import PoolFiguresTopic, PoolListTopic
from numbers.topics.packing import pack_tiles, unpack_tiles
from numbers.topics.states import letter_of_state
from numbers.topics.story import NumberTopic
from numbers.topics.tiles import TilesTopic, changes_of
from poolsite import hotpath, live
from poolsite.access import Decision
from poolsite.live import Topic, frames
from tests.live.helpers import assert_all_follow
from tests.numbers.people import drain, make_pool, operator, tenant
from tests.support.clock import ScriptClock
from tests.support.timers import let_time_pass

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clean_redis")]

SLUG = "east"
NUMBERS = [f"+861380000{step:04d}" for step in range(20)]
ONE = NUMBERS[3]
Act = Callable[[], Awaitable[Any]]


def make(**settings: Any) -> Pool:
    """Create a pool of 20 numbers. The first ten of them are up."""
    pool = make_pool(SLUG, **settings)
    services.numbers_add(actor=operator(), pool=pool, values=NUMBERS)
    for number in NUMBERS[:10]:
        event("reg", number)
    return pool


def event(name: str, number: str = "", **options: Any) -> commands.EventOutcome:
    return hotpath.run(commands.event(SLUG, commands.Event.of(name, number, **options)))


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Act:
    """Return a coroutine function that runs a synchronous function as services run."""
    return lambda: sync_to_async(function, thread_sensitive=True)(*args, **kwargs)


def hold(number: str) -> None:
    row = Number.objects.get(value=number)
    services.number_quarantine(actor=operator(), number=row, reason="complaints")


def let_go(number: str) -> None:
    services.number_release(actor=operator(), number=Number.objects.get(value=number))


def hang_up(number: str) -> None:
    row = Number.objects.get(value=number)
    services.number_force_hangup(actor=operator(), number=row, reason="stuck")


ACTIONS: dict[str, tuple[Callable[[], Any], ...]] = {
    "reg": (lambda: event("reg", NUMBERS[12]),),
    "unreg": (lambda: event("unreg", ONE),),
    "call": (lambda: event("call", ONE, call_id="a"),),
    "call of the longest idle": (lambda: event("call", call_id="a"),),
    "hangup": (lambda: event("call", ONE, call_id="a"), lambda: event("hangup", ONE, call_id="a")),
    "call, then offline": (
        lambda: event("call", ONE, call_id="a"),
        lambda: event("unreg", ONE),
    ),
    "inbound": (lambda: event("call", ONE, call_id="a", direction="in", callee="112"),),
    "quarantine": (lambda: hold(ONE),),
    "quarantine and release": (lambda: hold(ONE), lambda: let_go(ONE)),
    "quarantine in a call": (lambda: event("call", ONE, call_id="a"), lambda: hold(ONE)),
    "forced hangup": (lambda: event("call", ONE, call_id="a"), lambda: hang_up(ONE)),
    "pause": (lambda: services.pool_pause(actor=operator(), pool=pool(), reason="maintenance"),),
    "pause and resume": (
        lambda: services.pool_pause(actor=operator(), pool=pool(), reason="maintenance"),
        lambda: services.pool_resume(actor=operator(), pool=pool()),
    ),
    "settings": (
        lambda: services.pool_configure(actor=operator(), pool=pool(), cooldown_seconds=30),
        lambda: event("call", ONE, call_id="a"),
        lambda: event("hangup", ONE, call_id="a"),
    ),
    "label": (lambda: services.number_change(actor=operator(), number=row(), label="Sales"),),
    "reconciled": (lambda: services.pool_reconcile(pool=pool(), check=False),),
    "claimed, used and released": (
        lambda: services.number_claim(
            actor=operator(), pool=pool(), operation="visit-1", agent="ann", number=ONE
        ),
        lambda: services.number_use(actor=operator(), pool=pool(), operation="visit-1"),
        lambda: services.claim_release(actor=operator(), pool=pool(), operation="visit-1"),
    ),
    "a switch": (lambda: services.switch_create(actor=operator(), pool=pool(), name="fs-1"),),
    "a sweep": (lambda: let_time_pass("numbers.pool"),),
    "nothing at all": (lambda: None,),
    "a repeated event": (lambda: event("reg", ONE),),
    "many": (
        *(lambda step=step: event("call", call_id=f"c{step}") for step in range(9)),
        *(lambda step=step: event("hangup", call_id=f"c{step}") for step in range(0, 9, 2)),
    ),
}


# Numbers are added or removed, or the pool is rebuilt: tiles and stories restart with a snapshot.
LAYOUTS: dict[str, tuple[Callable[[], Any], ...]] = {
    "added": (lambda: services.number_add(actor=operator(), pool=pool(), number="+8613900000000"),),
    "a range added": (
        lambda: services.number_add_range(
            actor=operator(), pool=pool(), first="+8613900000000", last="+8613900000009"
        ),
    ),
    "deleted": (
        lambda: event("call", ONE, call_id="a"),
        lambda: services.number_delete(actor=operator(), number=row()),
        lambda: event("hangup", ONE, call_id="a"),
    ),
    "moved": (
        lambda: services.numbers_move(
            actor=operator(), numbers=[row()], pool=Pool.objects.get(slug="west")
        ),
    ),
    "rebuilt": (
        lambda: event("call", ONE, call_id="a", switch="one", incarnation="b"),
        lambda: services.pool_rebuild(pool(), "test", 1),
    ),
    "rebuilt and opened early": (
        lambda: services.pool_rebuild(pool(), "test", 1),
        lambda: services.pool_open_early(actor=operator(), pool=pool(), reason="all are back"),
    ),
}


def pool() -> Pool:
    return Pool.objects.get(slug=SLUG)


def row() -> Number:
    return Number.objects.select_related("pool").get(value=ONE)


def figures() -> list[Topic]:
    return [PoolFiguresTopic(SLUG), PoolListTopic("all")]


def tiles_of_the_pool() -> Topic:
    return TilesTopic(f"{SLUG}:0")


def story_of_one() -> Topic:
    return NumberTopic(ONE)


@pytest.mark.parametrize("action", ACTIONS)
async def test_the_old_snapshot_and_the_changes_of_an_action_make_the_new_snapshot(
    action: str,
) -> None:
    await sync_to_async(make)()

    async def act() -> None:
        for step in ACTIONS[action]:
            await sync_to_async(step)()

    await assert_all_follow([*figures(), tiles_of_the_pool(), story_of_one()], act)


@pytest.mark.parametrize("action", LAYOUTS)
async def test_figures_follow_where_numbers_come_and_go_or_a_new_life_begins(action: str) -> None:
    await sync_to_async(make_pool)("west")
    drained = await sync_to_async(make)()
    await sync_to_async(drain)(drained)

    async def act() -> None:
        for step in LAYOUTS[action]:
            await sync_to_async(step)()

    await assert_all_follow(figures(), act)


@pytest.mark.parametrize("drained", [False, True], ids=["still in the stream", "drained to SQL"])
async def test_a_numbers_story_is_the_same_before_and_after_the_drain(drained: bool) -> None:
    made = await sync_to_async(make)()
    for call_id in ("a", "b"):
        await sync_to_async(event)("call", ONE, call_id=call_id, agent="mei")
        await sync_to_async(event)("hangup", ONE, call_id=call_id)
    if drained:
        await sync_to_async(drain)(made)
    snapshot = await NumberTopic(ONE).snapshot()
    events = snapshot.data["events"]
    assert [one["event"] for one in events] == ["hangup", "call", "hangup", "call", "reg", "add"]
    assert events[1]["agent"] == "mei"
    assert snapshot.data["letter"] == "R"


@pytest.mark.parametrize("watch", [tiles_of_the_pool, story_of_one])
async def test_a_rest_ends_by_time_alone(
    watch: Callable[[], Topic], monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make)(cooldown_seconds=600)
    await sync_to_async(event)("call", ONE, call_id="a")
    await sync_to_async(event)("hangup", ONE, call_id="a")
    watched = watch()
    before = await watched.snapshot()
    assert 0 < (watched.due_seconds() or 0) <= 600
    for module in (story, tiles):  # where topics read this machine's clock
        monkeypatch.setattr(module, "now_us", lambda: time.time_ns() // 1000 + 600_000_000)
    assert watched.due_seconds() == 0
    changes = await watched.changes(before.version)
    assert changes is not None
    assert changes.version == before.version
    after = await watch().snapshot()
    assert before.data != after.data
    assert watched.apply(before.data, changes.data) == after.data
    assert watched.due_seconds() is None


async def test_numbers_that_come_and_go_lead_to_another_layout(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = await sync_to_async(make)()
    topic = TilesTopic(f"{SLUG}:0")
    before = await topic.snapshot()
    monkeypatch.setattr(tile_layout, "FRESH_SECONDS", 0.0)  # else it may be that old
    await sync_to_async(services.numbers_add)(actor="test", pool=made, values=["+8613700000000"])
    assert await topic.changes(before.version) is None
    after = await topic.snapshot()
    assert after.data["layout"] != before.data["layout"]
    assert len(after.data["states"]) == len(NUMBERS) + 1
    assert after.data["states"][0] == "O"


async def test_a_number_deleted_in_redis_alone_is_shown_gone_at_once() -> None:
    await sync_to_async(make)()
    topic = TilesTopic(f"{SLUG}:0")
    before = await topic.snapshot()
    await sync_to_async(event)("del", ONE)
    changes = await topic.changes(before.version)
    assert changes is not None
    assert topic.apply(before.data, changes.data)["states"][3] == "-"


async def test_each_page_has_its_own_numbers() -> None:
    made = await sync_to_async(make_pool)(SLUG)
    values = [f"+861390{step:07d}" for step in range(TILES_PER_PAGE + 5)]
    await sync_to_async(services.numbers_add)(actor="test", pool=made, values=values)
    first, second = TilesTopic(f"{SLUG}:0"), TilesTopic(f"{SLUG}:1")
    before = await first.snapshot(), await second.snapshot()
    assert [len(one.data["states"]) for one in before] == [TILES_PER_PAGE, 5]
    await sync_to_async(event)("reg", values[-1])
    changes = await first.changes(before[0].version)
    assert changes is not None
    assert changes.data is None
    changes = await second.changes(before[1].version)
    assert changes is not None
    assert changes.data == {"set": "5R"}


async def test_frames_stay_below_four_kilobytes_at_a_thousand_random_events_a_turn() -> None:
    made = await sync_to_async(make_pool)(SLUG)
    values = [f"+861390{step:07d}" for step in range(TILES_PER_PAGE)]
    await sync_to_async(services.numbers_add)(actor="test", pool=made, values=values)
    topic = TilesTopic(f"{SLUG}:0")
    before = await topic.snapshot()
    version, state, sizes = before.version, before.data, []
    chance = random.Random(7)
    for _turn in range(20):
        events = [
            commands.Event.of(chance.choice(("reg", "unreg")), chance.choice(values))
            for _ in range(1_000)
        ]
        await hotpath.arun_batch(
            [commands.events(SLUG, events[start : start + 32]) for start in range(0, 1_000, 32)]
        )
        changes = await topic.changes(version)
        assert changes is not None
        for part in (*changes.before, changes.data):
            state = topic.apply(state, part)
            frame = frames.change(topic.address, version, changes.version, part, mark=1)
            sizes.append(len(frame.text))
        version = changes.version
    assert sorted(sizes)[int(len(sizes) * 0.99)] <= 4_096
    assert len(sizes) == 20
    assert state == (await TilesTopic(topic.key).snapshot()).data


async def test_a_change_of_a_whole_page_goes_in_parts_below_four_kilobytes() -> None:
    chance = random.Random(7)
    tiles = {index: chance.choice("RCLO") for index in range(TILES_PER_PAGE)}
    changes = changes_of(7, tiles)
    parts = [*changes.before, changes.data]
    assert len(parts) > 1
    assert all(
        len(frames.change("numbers.tiles:east:0", 6, 7, part).text) <= 4_096 for part in parts
    )
    state = {"layout": "x", "states": "-" * TILES_PER_PAGE}
    for part in (*parts, *parts):  # a part may come twice
        state = TilesTopic.apply(state, part)
    assert state["states"] == "".join(tiles.values())


async def test_every_letter_is_that_of_the_door() -> None:
    await sync_to_async(make)(cooldown_seconds=60)
    for number, steps in {
        NUMBERS[0]: ["call"],
        NUMBERS[1]: ["call", "unreg"],
        NUMBERS[2]: ["call", "hangup"],
    }.items():
        for step in steps:
            await sync_to_async(event)(
                step, number, call_id=f"c{number}" if step != "unreg" else ""
            )
    await sync_to_async(hold)(NUMBERS[4])
    snapshot = await TilesTopic(f"{SLUG}:0").snapshot()
    states = await hotpath.arun(commands.states(SLUG, NUMBERS))
    assert states is not None
    for number, letter in zip(NUMBERS, snapshot.data["states"], strict=True):
        assert letter == states.by_number[number].letter(states.as_of_us)
    assert snapshot.data["states"].startswith("CLrRQR")


async def test_a_pool_that_redis_does_not_know_is_missing() -> None:
    await sync_to_async(make)()
    await hotpath.aclient().flushall()
    assert (await PoolFiguresTopic(SLUG).snapshot()).data["status"] == "missing"
    assert set((await TilesTopic(f"{SLUG}:0").snapshot()).data["states"]) == {"-"}


@pytest.mark.parametrize(("seconds", "mean"), [(0.3, 0.3), (-3_600, 0)])
async def test_figures_name_the_mean_length_of_the_calls_that_ended(
    test_clock: ScriptClock, seconds: float, mean: float
) -> None:
    await sync_to_async(make)()
    await sync_to_async(event)("call", ONE, call_id="a")
    test_clock.advance(seconds)
    await sync_to_async(event)("hangup", ONE, call_id="a")
    figures = (await PoolFiguresTopic(SLUG).snapshot()).data
    assert figures["mean_call_seconds"] == mean
    assert (figures["offered"], figures["carried"], figures["blocked"]) == (1, 1, 0)


@pytest.mark.parametrize(
    "address",
    [
        "numbers.pool:EAST",
        "numbers.pool:east:0",
        "numbers.pool:",
        "numbers.tiles:east",
        "numbers.tiles:east:-1",
        "numbers.tiles:east:1000000",
        "numbers.tiles:east:٣",
        "numbers.pools:everything",
        "numbers.pools:-1",
        "numbers.number:abc",
        "numbers.number:+",
        "numbers.number:+8613800000000\n",
    ],
)
async def test_a_nonsense_key_is_no_topic(address: str) -> None:
    assert live.resolve(address) is None


async def test_only_the_own_tenant_and_operators_may_watch() -> None:
    own, foreign = await sync_to_async(tenant)("north"), await sync_to_async(tenant)("south")
    await sync_to_async(make)(account=own.account)
    boss = await sync_to_async(operator)()
    mine = await sync_to_async(lambda: own.principal)()
    other = await sync_to_async(lambda: foreign.principal)()
    for topic in (PoolFiguresTopic(SLUG), TilesTopic(f"{SLUG}:0"), NumberTopic(ONE)):
        assert await topic.allowed(boss) is Decision.ALLOW
        assert await topic.allowed(mine) is Decision.ALLOW
        assert await topic.allowed(other) is Decision.HIDDEN
    missing = PoolFiguresTopic("nothing-here")
    assert await missing.allowed(boss) is Decision.HIDDEN
    assert await PoolListTopic(str(own.account.pk)).allowed(mine) is Decision.ALLOW
    assert await PoolListTopic(str(own.account.pk)).allowed(other) is Decision.HIDDEN
    assert await PoolListTopic("all").allowed(boss) is Decision.ALLOW
    assert not await PoolListTopic("all").allowed(mine)


async def test_an_accounts_list_holds_its_own_pools_only() -> None:
    own = await sync_to_async(tenant)("north")
    await sync_to_async(make)(account=own.account)
    await sync_to_async(make_pool)("west")
    rows = (await PoolListTopic(str(own.account.pk)).snapshot()).data["rows"]
    assert list(rows) == [SLUG]
    assert rows[SLUG]["idle_up"] == 10
    assert list((await PoolListTopic("all").snapshot()).data["rows"]) == [SLUG, "west"]


@given(
    st.dictionaries(
        st.integers(0, TILES_PER_PAGE - 1), st.sampled_from("RrpoxCsLlOQ-?"), min_size=1
    )
)
def test_packed_tiles_come_out_as_they_went_in(tiles: dict[int, str]) -> None:
    ordered = sorted(tiles.items())
    assert list(unpack_tiles(pack_tiles(ordered))) == ordered


def test_states_that_another_hand_wrote_have_a_letter_too() -> None:
    assert letter_of_state('{"regstate": 1, "callstate": 0}', 0)[0] == "R"
    assert letter_of_state('{"callstate": "1", "regstate": "0"}', 0)[0] == "L"
    assert letter_of_state("nonsense", 0)[0] == "?"
    assert letter_of_state(None, 0)[0] == "-"
