"""The main proof of a live topic: old snapshot + all changes = new snapshot."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import orjson

from poolsite.live import Snapshot, Topic

Action = Callable[[], Awaitable[Any]]
Apply = Callable[[Any, Any], Any]


async def assert_snapshot_plus_changes(
    topic: Topic, action: Action, apply: Apply | None = None
) -> Snapshot:
    """Run a service action and assert that the topic's changes alone describe its effect.

    topic: the watcher. It takes its snapshot before the action and its changes after it.
    action: a coroutine function (use sync_to_async for a service).
    apply: the topic's own `apply` unless given.

    A second instance takes the snapshot to compare with, as another process would. Both states are
    converted to JSON and back, as on their way to the browser. Return the new snapshot.
    """
    apply = apply or topic.apply
    before = await topic.snapshot()
    state = as_the_browser_gets_it(before.data)
    await action()
    changes = await topic.changes(before.version)
    assert changes is not None, f"{topic.address}: the action left a gap"
    parts = [*changes.before, *([] if changes.data is None else [changes.data])]
    for part in parts:
        state = apply(state, as_the_browser_gets_it(part))
    after = await type(topic)(topic.key).snapshot()
    assert changes.version == after.version, f"{topic.address}: the versions differ"
    assert state == as_the_browser_gets_it(after.data)
    for part in changes.before:  # a part may reach a browser twice
        state = apply(state, as_the_browser_gets_it(part))
    for part in parts[len(changes.before) :]:
        state = apply(state, as_the_browser_gets_it(part))
    if changes.before:
        assert state == as_the_browser_gets_it(after.data), f"{topic.address}: a part counts twice"
    return after


async def assert_all_follow(topics: Iterable[Topic], action: Action) -> None:
    """Like `assert_snapshot_plus_changes`, for several watchers of one action."""
    for topic in topics:
        action = partial(assert_snapshot_plus_changes, topic, action)
    await action()


def as_the_browser_gets_it(data: Any) -> Any:
    """Return the value as it is after its way through a frame."""
    return orjson.loads(orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS))
