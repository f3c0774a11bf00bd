"""Loopback ports that nobody uses at this moment."""

import socket


def free_port() -> int:
    """Return a free TCP port on 127.0.0.1 below 55000 with its Cluster bus port free as well."""
    for _ in range(200):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = 10_000 + int(probe.getsockname()[1]) % 45_000
        if _is_free(port) and _is_free(port + 10_000):
            return port
    raise RuntimeError("No free loopback port found in 200 attempts.")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
