"""Loopback ports that nobody uses at this moment."""

import socket

_given: set[int] = set()  # what a test was given it may bind later


def free_port() -> int:
    """Return a free port on 127.0.0.1 below 55000 with its Cluster bus port free as well.

    It is free for TCP and UDP, and no process is given the same port twice.
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
    """Tell whether neither TCP nor UDP has the port in use."""
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return False
    return True
