"""Loopback ports that no process uses at this moment."""

import socket

_given: set[int] = set()  # a test may bind its port only later


def free_port() -> int:
    """Return a free port on 127.0.0.1 below 55000 whose Cluster bus port is free, too.

    It is free for TCP and UDP, and no process gets the same port twice.
    """
    for _ in range(200):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = 10_000 + int(probe.getsockname()[1]) % 45_000
        both = {port, port + 10_000}
        if not both & _given and all(map(is_free, both)):
            _given.update(both)
            return port
    raise RuntimeError("No free loopback port found in 200 attempts.")


def is_free(port: int) -> bool:
    """Return whether neither TCP nor UDP uses the port."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True
