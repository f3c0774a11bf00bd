"""A program that sends batches of 1 000 events, by HTTP or websocket, as fast as they are answered.

Arguments: `http` or `websocket`, the server's address, the token, the number of batches, a name
for the run, and the kind of event, if not both: `call` or `hangup`.
Prints seconds and events as JSON. Bodies are made before the clock starts; answers are counted.
"""

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from http.client import HTTPConnection

import orjson
from websockets.asyncio.client import connect

EVENTS = 1_000
PATH = "pools/bench/events"


def batches(count: int, run: str, events: Sequence[str]) -> list[bytes]:
    """Return the batches' bodies. Each batch makes 500 calls and hangs all of them up again.

    With a single event, each batch has that event 1 000 times.
    """
    bodies = []
    for batch in range(count):
        ids = [f"{run}-{batch}-{index}@fs-01" for index in range(EVENTS // len(events))]
        bodies.append(orjson.dumps([_event(event, one) for event in events for one in ids]))
    return bodies


def _event(event: str, call_id: str) -> dict[str, str]:
    said = {"event": event, "call_id": call_id, "switch": "fs-01", "incarnation": "boot-1"}
    if event == "call":
        said |= {"agent": "agent 17", "callee": "+8613900001234"}
    return said


def check(answers: list[dict[str, object]]) -> int:
    """Return how many events were answered. Raise AssertionError if one was refused."""
    bad = [answer for answer in answers if answer["status"] != 200]
    if bad:
        raise AssertionError(bad[:3])
    return len(answers)


async def by_http(url: str, token: str, bodies: list[bytes]) -> tuple[float, list[bytes]]:
    """Send one request per batch on two connections, so that the next is always at hand.

    It uses http.client because the client shares the machine: httpx took more CPU than the server.
    """
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    answers: list[bytes] = []
    waiting = list(reversed(bodies))

    def lane() -> None:
        connection = HTTPConnection(url.removeprefix("http://"), timeout=30)
        while waiting:
            connection.request("POST", f"/api/v1/{PATH}", waiting.pop(), headers)
            answers.append(connection.getresponse().read())
        connection.close()

    start = time.perf_counter()
    await asyncio.gather(asyncio.to_thread(lane), asyncio.to_thread(lane))
    return time.perf_counter() - start, answers


async def by_websocket(url: str, token: str, bodies: list[bytes]) -> tuple[float, list[bytes]]:
    """Send one frame per batch, with two frames under way."""
    address = url.replace("http://", "ws://") + f"/ws/{PATH}/"
    answers: list[bytes] = []
    async with connect(
        address,
        additional_headers={"Authorization": f"Bearer {token}"},
        compression=None,
        max_size=None,
        ping_interval=None,
    ) as socket:
        await socket.send('{"ping":true}')
        await socket.recv()
        start = time.perf_counter()
        sent = 0
        while len(answers) < len(bodies):
            while sent < len(bodies) and sent - len(answers) < 2:
                await socket.send(bodies[sent].decode())
                sent += 1
            answers.append(str(await socket.recv()).encode())
        return time.perf_counter() - start, answers


async def main(how: str, url: str, token: str, count: str, run: str, *kinds: str) -> None:
    """Send, check, print."""
    bodies = batches(int(count), run, kinds or ("call", "hangup"))
    send = by_http if how == "http" else by_websocket
    seconds, answers = await send(url, token, bodies)
    events = sum(check(orjson.loads(answer)) for answer in answers)
    print(json.dumps({"seconds": seconds, "events": events}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
