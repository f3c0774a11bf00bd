"""The application's websockets: how to open each, and frames that almost match its protocol."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson
from hypothesis import strategies as st
from websockets.sync.client import ClientConnection, connect

from poolsite.live.topics import _TOPICS
from tests.fuzz.given import name
from tests.fuzz.stage import Stage
from tests.support.waiting import patient

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
Frame = dict[str, Any]


@dataclass(frozen=True)
class Socket:
    """A route.

    first: what is sent before the frames.
    last: a frame that is certain to be answered, or to close the socket.
    answered: the text by which the answer to `last` is recognised.
    """

    path: str
    who: str
    fields: dict[str, list[Any]]
    last: Frame
    answered: str
    first: Callable[[Stage], Frame] | None = None

    @contextmanager
    def opened(self, stage: Stage) -> Iterator[ClientConnection]:
        """Yield an open socket, after sending `first`."""
        headers = stage.callers["own"].headers(self.who)
        options: dict[str, Any] = {"open_timeout": patient(10), "close_timeout": patient(10)}
        address = stage.url.replace("http", "ws") + self.path
        options |= {"additional_headers": headers, "origin": stage.url, "compression": None}
        with connect(address, **options) as socket:
            if self.first is not None:
                socket.send(text_of(self.first(stage)))
            yield socket

    def frames(self) -> st.SearchStrategy[str]:
        """Return frames with the socket's own fields: matching, nearly matching and others."""
        fields = {
            field: st.sampled_from(values) | st.sampled_from(values) | JSON
            for field, values in self.fields.items()
        }
        some, all_of_them = (
            st.fixed_dictionaries({}, optional=fields),
            st.fixed_dictionaries(fields),
        )
        return (
            some.map(text_of) | all_of_them.map(text_of) | JSON.map(text_of) | st.text(max_size=300)
        )


def text_of(frame: Any) -> str:
    return orjson.dumps(frame, option=orjson.OPT_NON_STR_KEYS).decode() if _fits(frame) else "{"


def _fits(frame: Any) -> bool:
    try:
        orjson.dumps(frame)
    except (TypeError, ValueError):
        return False
    return True


def _keys(stage: Stage, slug: str) -> list[str]:
    """Return the keys of a tenant's topics."""
    caller = stage.callers[slug]
    visit = caller.post(f"queues/{slug}-chosen/join", {"anyway": True})["visit"]
    kinds = ("pool", "desk", "gate", "group", "chosen", "help")
    agents = [str(agent) for agent in caller.told.agents.values()]
    return [
        slug,
        visit,
        *agents,
        *(f"{slug}-{kind}" for kind in kinds),
        f"{slug}-pool:0-50",
        f"{slug}-pool:{caller.told.numbers[0]}",
        f"{slug}-desk:{agents[0]}",
    ]


def _topics(stage: Stage) -> list[str]:
    keys = [*_keys(stage, "own"), *_keys(stage, "other"), "all", "1", "", ":", "\x00", "é", "%s"]
    return [f"{topic}:{key}" for topic in _TOPICS for key in keys]


def _front(stage: Stage) -> Frame:
    return {"op": "register", "profile": "SIP", "id": name("sip"), "incarnation": "b"}


def _back(stage: Stage) -> Frame:
    return {"op": "register", "id": name("as"), "name": "as-9", "version": "1", "capacity": 9}


def _visitor(stage: Stage) -> Frame:
    joined = stage.callers["own"].post("queues/own-chosen/join", {"anyway": True})
    return {"op": "token", "token": joined["token"]}


def sockets(stage: Stage) -> dict[str, Socket]:
    """Return each route of the application, by a name."""
    live = {
        "op": ["subscribe", "subscribe", "subscribe", "unsubscribe", "ping", "ack", "beat"],
        "topic": _topics(stage),
        "version": [0, 1, -1, 2**53, 2**70],
        "ack": [0, 1, -1, 2**63],
    }
    numbers = stage.callers["own"].told.numbers[:3]
    switch = {
        "id": ["a", 1],
        "event": ["add", "del", "reg", "unreg", "call", "hangup", "renew"],
        "number": [*numbers, "138", "x", "", "\x00"],
        "call_id": ["c1", "c2", "\x00"],
        "switch": ["fs-01", "fs-02"],
        "incarnation": ["b1", "b2"],
        "wait_ms": [0, 1, -1, 10**9],
        "callee": ["+8613700000000", "sip:x@y"],
        "live": [{"switch": "fs-01", "incarnation": "b1", "calls": [{"call_id": "c1"}]}],
        "ping": [True, 1],
        "force": [True],
        "seq": [0, 1, 2**53],
        "expires": [1],
    }
    link = {
        "op": ["start", "message", "end", "deliver", "clear", "ack", "beat", "resync", "register"],
        "seq": [1, 2, 0, -1, 2**53],
        "session": ["sip-1/1", "as-1/1", "x", "/"],
        "body": [None, "text", {"a": 1}],
        "to": ["sip-1", "as-1", ""],
        "key": ["k"],
        "ttl_seconds": [1, 86_400, 0],
        "reason": ["why"],
        "sessions": [[], [["sip-1/1", "", None]], [["sip-1/1", "as-1", 1e300]]],
        "last": [True, False],
    }
    over = {"op": "over"}
    unknown, told = {"op": "subscribe", "topic": "over"}, '"topic":"over"'
    return {
        "live": Socket("/ws/live/", "all", live, unknown, told),
        "narrow": Socket("/ws/live/", "narrow", live, unknown, told),
        "visitor": Socket("/ws/live/visitor/", "nobody", live, unknown, told, _visitor),
        "switch": Socket(
            "/ws/pools/own-pool/events/", "all", switch, {"id": "over", "ping": True}, '"over"'
        ),
        "balance": Socket(
            "/ws/accounts/own/balance/", "all", {"ping": [True, 1]}, {"ping": True}, '"pong"'
        ),
        "front": Socket("/ws/dispatch/own-group/front/", "all", link, over, "closed", _front),
        "back": Socket("/ws/dispatch/own-group/back/", "all", link, over, "closed", _back),
    }
