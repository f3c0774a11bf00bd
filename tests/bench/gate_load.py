"""A program of devices that all report within the same second, over kept connections.

python gate_load.py <port> <token> <devices> <connections>

Report n is due n / devices of a second after the start. A connection that is still busy with an
earlier report sends it late, and the delay counts. Prints JSON: milliseconds from due to answered,
sorted, and the number of answers other than 200.
"""

import asyncio
import json
import sys
import time


async def _device(
    port: int, token: str, mine: list[int], devices: int, begin: float, told: list[float]
) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    bad = 0
    for number in mine:
        due = begin + number / devices
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        writer.write(
            f"POST /api/v1/devices/d{number}/report HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\n\r\n{}".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line.split(b":")[1])
            for line in head.lower().split(b"\r\n")
            if line.startswith(b"content-length")
        )
        await reader.readexactly(length)
        told.append((time.monotonic() - due) * 1_000)
        bad += not head.startswith(b"HTTP/1.1 200")
    writer.close()
    return bad


async def main(port: int, token: str, devices: int, connections: int) -> None:
    """Send one report for each device."""
    told: list[float] = []
    begin = time.monotonic() + 1.0
    bad = await asyncio.gather(
        *(
            _device(port, token, list(range(first, devices, connections)), devices, begin, told)
            for first in range(connections)
        )
    )
    print(json.dumps({"bad": sum(bad), "ms": sorted(told)}))


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
