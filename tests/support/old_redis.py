"""A server that claims to be Redis 6.0.16, which no package offers any more."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class _OldRedis(socketserver.StreamRequestHandler):
    """Speaks the protocol as far as INFO."""

    def handle(self) -> None:
        while header := self.rfile.readline():
            words = []
            for _ in range(int(header[1:])):
                size = int(self.rfile.readline()[1:])
                words.append(self.rfile.read(size + 2)[:-2])
            info = b"# Server\r\nredis_version:6.0.16\r\nmaxmemory_policy:noeviction\r\n"
            answer = b"$%d\r\n%s\r\n" % (len(info), info) if words[0] == b"INFO" else b"+OK\r\n"
            self.wfile.write(answer)


@contextmanager
def old_redis() -> Iterator[str]:
    """Serve until the block ends. Yield the server's REDIS_URL."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _OldRedis) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"redis://127.0.0.1:{server.server_address[1]}/0"
        server.shutdown()
