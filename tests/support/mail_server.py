"""A mail server on loopback that keeps what it is given; it can be away for the first callers."""

import email
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.policy import default


@dataclass
class MailServer:
    """`mails`: what was delivered; `away`: how many further callers find it unavailable."""

    port: int = 0
    away: int = 0
    turned_away: int = 0
    mails: list[Message] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[str]:
        """The texts of all mails, oldest first."""
        return [each.get_content() for each in self.mails]  # type: ignore[attr-defined]

    def to(self, address: str) -> list[str]:
        """The texts that this address was sent, oldest first."""
        found = [each for each in self.mails if each["To"] == address]
        return [each.get_content() for each in found]  # type: ignore[attr-defined]

    def saying(self, part: str, address: str) -> list[str]:
        """Those of them in which this stands."""
        return [text for text in self.to(address) if part in text]


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Take mails until the block ends."""
    kept = MailServer()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            if kept.away > 0:
                kept.away -= 1
                kept.turned_away += 1
                self._say(b"421 come back later")
                return
            self._say(b"220 ready")
            for line in self.rfile:
                verb = line[:4].upper()
                if verb == b"DATA":
                    self._say(b"354 go on")
                    self._take()
                self._say(b"221 bye" if verb == b"QUIT" else b"250 fine")
                if verb == b"QUIT":
                    return

        def _take(self) -> None:
            lines = []
            for line in self.rfile:
                if line == b".\r\n":
                    break
                lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
            kept.mails.append(email.message_from_bytes(b"".join(lines), policy=default))

        def _say(self, answer: bytes) -> None:
            self.wfile.write(answer + b"\r\n")

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        kept.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield kept
        finally:
            server.shutdown()
            thread.join()
