"""A separate network for calls to URLs that users typed in, with an attacker's resolver.

`unshare --map-root-user --net --mount python -m tests.operations.outgoing_world FOLDER`. The
loopback interface has two public addresses, those of metadata services and private ones. A listener
on each of them records its connections. Prints JSON, a line for each URL of URLS: how the call
ended, which addresses were connected to meanwhile, and how often the name was looked up.
"""

import asyncio
import json
import os
import socket
import socketserver
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

PUBLIC = ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946")
INSIDE = ("169.254.169.254", "10.0.0.5", "100.100.100.200", "168.63.129.16", "fd00::5", "fec0::5")
PORTS = (80, 8080, 6379)
REDIRECT = "http://hooks.example/redirect/{}"
# name → the answers to the 1st, 2nd, … question of a kind. The last answer is repeated.
ZONE: dict[str, list[list[str]]] = {
    "hooks.example": [[PUBLIC[0]]],
    "six.example": [[PUBLIC[1]]],
    "rebind.example": [[PUBLIC[0]], ["127.0.0.1"]],
    "rebind-six.example": [[PUBLIC[1]], ["::1"]],
    "mixed.example": [[PUBLIC[0], "127.0.0.1"]],
    "both.example": [[PUBLIC[0], "::1"]],
    "loop.example": [["127.0.0.1"]],
    "metadata.example": [["169.254.169.254"]],
    "ten.example": [["10.0.0.5"]],
    "mapped.example": [["::ffff:127.0.0.1"]],
    "compatible.example": [["::127.0.0.1"]],
    "nat64.example": [["64:ff9b::7f00:1"]],
    "local-nat64.example": [["64:ff9b:1::7f00:1"]],
    "six-to-four.example": [["2002:7f00:1::1"]],
    "unique-local.example": [["fd00::5"]],
    "site-local.example": [["fec0::5"]],
    "zero.example": [["0.0.0.0"]],
}
TAKEN = (
    "http://hooks.example/",
    "http://six.example:8080/",
    "http://93.184.216.34/",
    "http://[2606:2800:220:1:248:1893:25c8:1946]/",
    "http://rebind.example/",
    "http://rebind-six.example/",
)
REDIRECTED = tuple(REDIRECT.format(status) for status in (301, 302, 303, 307, 308))
REFUSED = (
    *(
        f"http://{name}/"
        for name in ZONE
        if f"http://{name}/" not in TAKEN and name != "six.example"
    ),
    "http://hooks.example:6379/",
    "http://127.0.0.1/",
    "http://127.1/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://0/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://localhost./",
    "http://127.0.0.1./",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[fd00::5]/",
    "http://[fec0::5]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.5:8080/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://hooks.example@127.0.0.1/",
    "http://127.0.0.1\\@hooks.example/",
    "http://127.0.0.1#@hooks.example/",
)
URLS = (*TAKEN, *REDIRECTED, *REFUSED)


class World:
    """The listeners' connections and the questions to the resolver, for one call at a time."""

    def __init__(self) -> None:
        self.connections: list[str] = []
        self.asked: list[tuple[str, int]] = []


def main() -> None:
    folder = Path(sys.argv[1])
    _interfaces()
    _resolver_is_ours(folder)
    world = World()
    _serve(_resolver(world))
    for address in ("127.0.0.1", "::1", *PUBLIC, *INSIDE):
        for port in PORTS:
            _serve(_listener(world, address, port))

    import django

    django.setup()
    for url in URLS:
        print(json.dumps({"url": url, **_call(world, url)}))
    from django.conf import settings

    settings.OUTGOING_PRIVATE_ADDRESSES = True
    reached = [
        each
        for address in ("127.0.0.1", "::1", *INSIDE)
        for each in _call(world, f"http://{_bracketed(address)}/")["connections"]
    ]
    print(json.dumps({"url": "allowed", "connections": reached}))


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _call(world: World, url: str) -> dict[str, Any]:
    """Return how a call ends, which addresses were connected to, and the number of look-ups."""
    from poolsite.operations import outgoing

    world.connections.clear()
    world.asked.clear()
    outcome = asyncio.run(outgoing.post(url, {"id": "e"}, secrets=["s"]))
    return {
        "ok": outcome.ok,
        "status": outcome.status,
        "error": outcome.error,
        "connections": list(world.connections),
        "asked": len(world.asked),
        "asked_twice": len(set(world.asked)) != len(world.asked),
    }


def _interfaces() -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    for address in (*PUBLIC, *INSIDE):
        length, options = ("128", ["nodad"]) if ":" in address else ("32", [])
        place = ["ip", "address", "add", f"{address}/{length}", "dev", "lo", *options]
        subprocess.run(place, check=True)


def _resolver_is_ours(folder: Path) -> None:
    """Make this process and its children resolve names at 127.0.0.1 only, and from no file."""
    for name, text in (
        ("resolv.conf", "nameserver 127.0.0.1\noptions attempts:1\n"),
        ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
        ("nsswitch.conf", "hosts: files dns\n"),
    ):
        made = folder / name
        made.write_text(text)
        real = os.path.realpath(f"/etc/{name}")
        if Path(real).exists():
            subprocess.run(["mount", "--bind", str(made), real], check=True)


def _serve(server: socketserver.BaseServer) -> None:
    threading.Thread(target=server.serve_forever, daemon=True).start()


def _listener(world: World, address: str, port: int) -> socketserver.BaseServer:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            world.connections.append(f"{address} {port}")
            head = self.request.recv(65_536)
            _, _, status = head.split(b" ", 2)[1].partition(b"/redirect/")
            if status:
                where = b"Location: http://127.0.0.1/inside\r\nContent-Length: 0\r\n\r\n"
                self.request.sendall(b"HTTP/1.1 %b Go\r\n%b" % (status, where))
            else:
                self.request.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    class Server(socketserver.ThreadingTCPServer):
        address_family = socket.AF_INET6 if ":" in address else socket.AF_INET
        allow_reuse_address = True

    return Server((address, port), Handler)


def _resolver(world: World) -> socketserver.BaseServer:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            question, out = self.request
            out.sendto(_answer(world, question), self.client_address)

    return socketserver.ThreadingUDPServer(("127.0.0.1", 53), Handler)


def _answer(world: World, question: bytes) -> bytes:
    """Return the reply to a question about one name: A (1) or AAAA (28), with a TTL of 0."""
    labels, place = [], 12
    while question[place]:
        labels.append(question[place + 1 : place + 1 + question[place]].decode("latin-1"))
        place += question[place] + 1
    name, kind = ".".join(labels).lower(), int.from_bytes(question[place + 1 : place + 3], "big")
    before = world.asked.count((name, kind))
    world.asked.append((name, kind))
    turns = ZONE.get(name, [[]])
    family = {1: socket.AF_INET, 28: socket.AF_INET6}.get(kind)
    found = [
        socket.inet_pton(family, each)
        for each in turns[min(before, len(turns) - 1)]
        if family == (socket.AF_INET6 if ":" in each else socket.AF_INET)
    ]
    flags = b"\x81\x80" if name in ZONE else b"\x81\x83"  # NXDOMAIN
    head = question[:2] + flags + b"\x00\x01" + len(found).to_bytes(2, "big") + bytes(4)
    records = b"".join(
        b"\xc0\x0c"
        + kind.to_bytes(2, "big")
        + b"\x00\x01"
        + bytes(4)
        + bytes([0, len(each)])
        + each
        for each in found
    )
    return head + question[12 : place + 5] + records


if __name__ == "__main__":
    main()
