"""Receivers on loopback that behave like an attacker's: they drip, flood, or use a false name."""

import datetime
import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Behaviour = Callable[[socket.socket, threading.Event], None]
DRIPS = 3_000  # of 20 ms: a minute, longer than any limit of a call


@dataclass
class Listener:
    """A listening socket. `heads`: the start of each request; `cut_off`: callers who left."""

    server: socket.socket
    behave: Behaviour
    tls: ssl.SSLContext | None = None
    heads: list[bytes] = field(default_factory=list)
    cut_off: int = 0
    names: list[str] = field(default_factory=list)  # requested in the TLS handshakes
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.port = int(self.server.getsockname()[1])

    def serve(self) -> None:
        while not self._over.is_set():
            with suppress(TimeoutError):
                caller, _ = self.server.accept()
                self._answer(caller)

    def _answer(self, caller: socket.socket) -> None:
        caller.settimeout(10)
        with caller:
            try:
                if self.tls is not None:
                    caller = self.tls.wrap_socket(caller, server_side=True)
                head = request_of(caller)
                if not head:
                    return
                self.heads.append(head)
                self.behave(caller, self._over)
            except OSError:  # includes ssl.SSLError
                self.cut_off += 1
            finally:
                caller.close()

    def stop(self) -> None:
        self._over.set()


@contextmanager
def listening(
    behave: Behaviour, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None
) -> Iterator[Listener]:
    """Serve on a free port, one caller after the other, until the block ends."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as server:
        server.settimeout(0.05)
        listener = Listener(server, behave, tls)
        if tls is not None:
            tls.sni_callback = lambda _socket, name, _context: listener.names.append(name or "")
        thread = threading.Thread(target=listener.serve)
        thread.start()
        try:
            yield listener
        finally:
            listener.stop()
            thread.join()


def request_of(caller: socket.socket) -> bytes:
    """Return a whole request: closing a socket with unread data would reset the connection."""
    text = b""
    while more := caller.recv(65536):
        text += more
        head, _, body = text.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.IGNORECASE)
        if length is None or len(body) >= int(length[1]):
            break
    return text


def says(text: bytes) -> Behaviour:
    """Answer with this text, and close."""
    return lambda caller, _over: caller.sendall(text)


def drips(before: bytes, drop: bytes, after: bytes = b"") -> Behaviour:
    """Send `drop` every 20 ms for a minute. The caller is expected to leave before the end."""

    def behave(caller: socket.socket, over: threading.Event) -> None:
        caller.sendall(before)
        for _ in range(DRIPS):
            if over.wait(0.02):
                return
            caller.sendall(drop)
        caller.sendall(after)

    return behave


def floods(before: bytes, part: bytes) -> Behaviour:
    """Send `part` for as long as the caller accepts it."""

    def behave(caller: socket.socket, over: threading.Event) -> None:
        caller.sendall(before)
        while not over.is_set():
            caller.sendall(part)

    return behave


def certified(folder: Path, name: str, days: float = 1) -> tuple[ssl.SSLContext, Path]:
    """Return a server context with a certificate for this name or IP address, and its CA file.

    days: how long it remains valid. It has been valid for one day.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "the tests' own")])
    now = datetime.datetime.now(datetime.UTC)
    try:
        meant: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        meant = x509.DNSName(name)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(issuer)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([meant]), critical=False)
        .sign(key, hashes.SHA256())
    )
    trusted = folder / "certificate.pem"
    trusted.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = folder / "key.pem"
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(trusted, private)
    return context, trusted
