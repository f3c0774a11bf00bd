"""An external system that counts its own clients. test_gate_caps runs it; it knows no gate.

python counting_system.py <path of its socket> <strength> <log>

A client connects and sends `<holder> <µs when it asked> <µs when it was answered>`. It receives
`1`, or `0` if more clients than the strength are here. It works until it sends `bye`, which is
answered, or until its connection ends. Each change of the count is a line of the log:
`<µs> <step> <count>` and the client's line.
"""

import asyncio
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO


@dataclass
class System:
    strength: int
    log: TextIO
    count: int = 0

    def step(self, by: int, words: str) -> None:
        self.count += by
        print(time.time_ns() // 1_000, by, self.count, words, file=self.log)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = await heard(reader)
        if not words.endswith("\n"):
            return  # the client was killed before it had come in
        words = words.strip()
        self.step(1, words)
        writer.write(b"0\n" if self.count > self.strength else b"1\n")
        said_bye = await heard(reader)
        self.step(-1, words)
        if said_bye:
            writer.write(b"bye\n")
        writer.close()


async def heard(reader: asyncio.StreamReader) -> str:
    """Return the next line, or "" if the client was killed within it."""
    try:
        return (await reader.readline()).decode()
    except ConnectionError:
        return ""


async def main(place: str, system: System) -> None:
    server = await asyncio.start_unix_server(system.serve, place)
    await server.serve_forever()


if __name__ == "__main__":
    where, strong, journal = sys.argv[1:]
    with Path(journal).open("w", buffering=1) as written:
        asyncio.run(main(where, System(int(strong), written)))
