"""A mail server on loopback that stores its mails and can be unavailable to the first clients."""

import base64
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
    """`mails`: what was delivered. `away`: how many more clients find the server unavailable.

    password: what a client has to log in with. Empty: the server offers no login.
    """

    port: int = 0
    password: str = ""
    away: int = 0
    turned_away: int = 0
    mails: list[Message] = field(default_factory=list)

    @property
    def url(self) -> str:
        """The server's EMAIL_URL."""
        return f"smtp://127.0.0.1:{self.port}"

    @property
    def bodies(self) -> list[str]:
        """The texts of all mails, oldest first."""
        return [each.get_content() for each in self.mails]

    def to(self, address: str) -> list[str]:
        """Return the texts of the mails to this address, oldest first."""
        found = [each for each in self.mails if each["To"] == address]
        return [each.get_content() for each in found]

    def saying(self, part: str, address: str) -> list[str]:
        """Return the texts of the mails to this address that contain `part`."""
        return [text for text in self.to(address) if part in text]


@contextmanager
def mail_server(password: str = "") -> Iterator[MailServer]:
    """Accept mails until the block ends."""
    kept = MailServer(password=password)

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
                if kept.password and verb in (b"EHLO", b"AUTH"):
                    said = b"250-fine\r\n250 AUTH PLAIN" if verb == b"EHLO" else self._log_in(line)
                    self._say(said)
                    continue
                if verb == b"DATA":
                    self._say(b"354 go on")
                    self._take()
                self._say(b"221 bye" if verb == b"QUIT" else b"250 fine")
                if verb == b"QUIT":
                    return

        def _log_in(self, line: bytes) -> bytes:
            """Return the answer to `AUTH PLAIN` with its base64 argument."""
            given = base64.b64decode(line.split()[2]).split(b"\0")[2].decode()
            return b"235 welcome" if given == kept.password else b"535 wrong password"

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
