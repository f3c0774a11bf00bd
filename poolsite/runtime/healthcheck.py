"""Checks whether a web process of this machine responds: the health check of a container.

`python -m poolsite.runtime.healthcheck 127.0.0.1:8000`, or with the path of a Unix socket. The exit
status is 0 if `/healthz` answers 200. Only the standard library is used, because the check runs
every few seconds.
"""

import http.client
import socket
import sys

TIMEOUT_SECONDS = 4.0


class _OverSocket(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT_SECONDS)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_SECONDS)
        self.sock.connect(self._path)


def fault(address: str) -> str:
    """Return why the process at `host:port` or `/path/of.sock` is not healthy, or "" if it is."""
    over_socket = address.startswith("/")
    connection = (
        _OverSocket(address)
        if over_socket
        else http.client.HTTPConnection(address, timeout=TIMEOUT_SECONDS)
    )
    try:
        connection.request("GET", "/healthz")
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"{address} does not answer: {error}"
    finally:
        connection.close()
    return "" if status == http.client.OK else f"{address} answered {status}"


def main() -> int:
    """Check the address that the command line names."""
    if len(sys.argv) != 2:
        sys.stderr.write("Name a web process: 127.0.0.1:8000, or the path of its socket.\n")
        return 64
    found = fault(sys.argv[1])
    if found:
        sys.stderr.write(f"{found}\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
