"""A TCP proxy in front of a server that loses or delays replies, or cuts connections, on demand."""

import contextlib
import socket
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.ports import free_port

CHUNK = 65_536


@dataclass
class FaultyProxy:
    """Listens on a loopback port and forwards to `target`: (host, port) or a unix socket.

    Modes, changed at any time, also for open connections:
    "pass" forwards; "drop-reply" forwards requests and swallows every reply (the client waits
    until its timeout); "cut-reply" forwards a request and cuts the connection when its reply
    comes; "cut" cuts connections and refuses new ones; "delay" holds replies back for
    `delay_seconds`. After `faults` replies were hit (None = no limit) it passes again. `hits`
    counts them, and the connections that were refused.
    """

    target: tuple[str, int] | Path
    mode: str = "pass"
    delay_seconds: float = 0.2
    faults: int | None = None
    hits: int = 0
    port: int = 0
    _about: bytes = b""
    _asking: set[socket.socket] = field(default_factory=set)  # server sides that were sent it
    _listener: socket.socket | None = None
    _sockets: set[socket.socket] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> "FaultyProxy":
        self.port = self.port or free_port()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        return self

    def stop(self) -> None:
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.cut_all()

    def __enter__(self) -> "FaultyProxy":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def set(self, mode: str, faults: int | None = None, about: bytes = b"") -> None:
        """Change the mode: for the next `faults` replies, and for connections that sent `about`."""
        with self._lock:
            self.mode, self.faults, self.hits, self._about = mode, faults, 0, about
            self._asking.clear()
        if mode == "cut":
            self.cut_all()

    def cut_all(self) -> None:
        """Reset every open connection, on both sides."""
        with self._lock:
            sockets, self._sockets = self._sockets, set()
        for one in sockets:
            _reset(one)

    def cut_half(self) -> int:
        """Reset about half of the open connections. Return how many sockets that were."""
        with self._lock:
            chosen = list(self._sockets)[::4]  # a connection has two of them
            self._sockets -= set(chosen)
        for one in chosen:
            _reset(one)
        return len(chosen)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            if self.mode == "cut":
                self.hits += 1
                _reset(client)
                continue
            try:
                server = self._connect()
            except OSError:
                _reset(client)
                continue
            with self._lock:
                self._sockets |= {client, server}
            for source, sink, replies in ((client, server, False), (server, client, True)):
                threading.Thread(
                    target=self._pump, args=(source, sink, replies), daemon=True
                ).start()

    def _connect(self) -> socket.socket:
        if isinstance(self.target, Path):
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self.target))
            return server
        return socket.create_connection(self.target)

    def _pump(self, source: socket.socket, sink: socket.socket, replies: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(CHUNK):
                fault = self._fault(source) if replies else self._note(sink, data)
                if fault == "drop-reply":
                    continue
                if fault in ("cut", "cut-reply"):
                    break
                if fault == "delay":
                    time.sleep(self.delay_seconds)  # waits: that is the fault
                sink.sendall(data)
        for one in (source, sink):
            with self._lock:
                self._sockets.discard(one)
                self._asking.discard(one)
            _reset(one)

    def _note(self, server: socket.socket, request: bytes) -> str:
        with self._lock:
            if self._about in request:
                self._asking.add(server)
        return "pass"

    def _fault(self, server: socket.socket) -> str:
        with self._lock:
            used_up = self.faults is not None and self.hits >= self.faults
            if self.mode == "pass" or used_up or (self._about and server not in self._asking):
                return "pass"
            self.hits += 1
            return self.mode


def _reset(one: socket.socket) -> None:
    """Close the socket with a reset, and wake a thread that reads from it."""
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
    one.close()
