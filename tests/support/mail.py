"""A mail server that keeps what it is sent, on loopback: a test reads the links of its mails."""

import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class MailServer:
    """`url` is an EMAIL_URL; `bodies` are the texts of the mails that came, oldest first."""

    port: int
    bodies: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """Run one for the block."""
    bodies: list[str] = []

    class Session(socketserver.StreamRequestHandler):
        """As much of RFC 5321 as a client needs that has nothing to hide."""

        def handle(self) -> None:
            self._say("220 here")
            while line := self.rfile.readline():
                verb = line[:4].strip().upper()
                if verb == b"DATA":
                    self._say("354 go on")
                    bodies.append(self._mail())
                self._say("221 bye" if verb == b"QUIT" else "250 ok")
                if verb == b"QUIT":
                    return

        def _mail(self) -> str:
            lines: list[bytes] = []
            while (line := self.rfile.readline()) not in (b".\r\n", b""):
                lines.append(line.removeprefix(b"."))
            message = email.message_from_bytes(b"".join(lines), policy=email.policy.default)
            return str(message.get_content())

        def _say(self, text: str) -> None:
            self.wfile.write(f"{text}\r\n".encode())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield MailServer(server.server_address[1], bodies)
        server.shutdown()
