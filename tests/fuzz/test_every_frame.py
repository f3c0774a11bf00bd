"""Every websocket, on a real server: no frame makes one fail or disclose anything."""

import os

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection

from tests.fuzz.sockets import Socket, sockets, text_of
from tests.fuzz.stage import Stage
from tests.fuzz.world import MARKS
from tests.support.waiting import patient

pytestmark = [pytest.mark.processes, pytest.mark.prove]

EXAMPLES = int(os.environ.get("FUZZ_FRAMES", "15"))
FRAMES_AT_ONCE = 8
FAULT, LOST = 1011, 1006
NAMES = ("live", "narrow", "visitor", "switch", "balance", "front", "back")


@pytest.mark.parametrize("name", NAMES)
def test_no_frame_makes_a_socket_fail(stage: Stage, name: str) -> None:
    known = sockets(stage)
    assert tuple(known) == NAMES
    socket = known[name]

    @seed(int(os.environ["SEED"]))
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(st.lists(socket.frames(), min_size=1, max_size=FRAMES_AT_ONCE))
    def _one(frames: list[str]) -> None:
        told = _told(stage, socket, frames)
        assert MARKS["other"] not in told

    _one()
    assert stage.faults() == []


def _told(stage: Stage, socket: Socket, frames: list[str]) -> str:
    """Return all that the socket sends for these frames, up to the last answer or its end."""
    with socket.opened(stage) as connection:
        told = ""
        try:
            for frame in (*frames, text_of(socket.last)):
                connection.send(frame)
            while socket.answered not in told:
                told += _next(connection)
        except ConnectionClosed as closed:
            code = closed.rcvd.code if closed.rcvd is not None else LOST
            assert code not in (FAULT, LOST), (code, frames)
        return told


def _next(connection: ClientConnection) -> str:
    text = connection.recv(timeout=patient(20))
    return text if isinstance(text, str) else text.decode(errors="replace")
