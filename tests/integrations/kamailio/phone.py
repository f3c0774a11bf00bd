"""A SIP phone over UDP that a test moves one message at a time. It repeats nothing on its own."""

import hashlib
import itertools
import re
import socket
import time
import uuid
from dataclasses import dataclass, field

from tests.support.waiting import patient

_NAMES = itertools.count(1)


class NoMessageError(AssertionError):
    """The expected message did not arrive."""


@dataclass(frozen=True)
class Message:
    """A request or an answer as it was received."""

    text: str
    sender: tuple[str, int]

    @property
    def start(self) -> str:
        return self.text.partition("\r\n")[0]

    @property
    def method(self) -> str:
        """A request's method; "" for an answer."""
        return "" if self.start.startswith("SIP/2.0") else self.start.split()[0]

    @property
    def status(self) -> int:
        """An answer's status; 0 for a request."""
        return int(self.start.split()[1]) if self.start.startswith("SIP/2.0") else 0

    def all(self, name: str) -> list[str]:
        found = re.findall(rf"^{name}:[ \t]*(.*?)\r$", self.text, re.MULTILINE | re.IGNORECASE)
        return [str(each) for each in found]

    def get(self, name: str) -> str:
        """Return a header's value, or ""."""
        return next(iter(self.all(name)), "")

    def number(self, name: str = "From") -> str:
        """Return the user of an address header."""
        found = re.search(r"sips?:([^@>;]+)@", self.get(name))
        return found[1] if found else ""


def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@dataclass
class Call:
    """A call attempt, as one end sees it."""

    call_id: str
    local: str
    remote: str
    target: str
    routes: list[str] = field(default_factory=list)
    cseq: int = 1
    branch: str = ""


class Phone:
    """A socket that talks to the proxy on `proxy_port`."""

    def __init__(self, proxy_port: int, user: str = "agent", port: int = 0) -> None:
        self.user, self.proxy = user, ("127.0.0.1", proxy_port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", port))
        self.port = int(self._socket.getsockname()[1])
        self.contact = f"sip:{user}@127.0.0.1:{self.port}"
        self._early: list[Message] = []

    def __enter__(self) -> "Phone":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    # -- messages ------------------------------------------------------------------------------

    def send(self, text: str, to: tuple[str, int] | None = None) -> None:
        self._socket.sendto(text.encode(), to or self.proxy)

    def wait(self, *wanted: str | int, seconds: float = 10.0) -> Message:
        """Return the next message with one of these methods or statuses. Others are stored."""
        for kept in self._early:
            if kept.method in wanted or kept.status in wanted:
                self._early.remove(kept)
                return kept
        deadline = time.monotonic() + patient(seconds)  # waits: in the socket, for a message
        while (left := deadline - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                data, sender = self._socket.recvfrom(65_535)
            except TimeoutError:
                break
            message = Message(data.decode(errors="replace"), sender)
            if message.method in wanted or message.status in wanted:
                return message
            self._early.append(message)
        seen = [message.start for message in self._early]
        raise NoMessageError(f"{self.user} waited for {wanted} and had {seen}")

    def _request(self, method: str, uri: str, call: Call, *more: str) -> str:
        if method not in ("ACK", "CANCEL"):
            call.branch = f"z9hG4bK{uuid.uuid4().hex}"
        lines = [
            f"{method} {uri} SIP/2.0",
            f"Via: SIP/2.0/UDP 127.0.0.1:{self.port};branch={call.branch};rport",
            *(f"Route: {route}" for route in call.routes),
            "Max-Forwards: 70",
            f"From: {call.local}",
            f"To: {call.remote}",
            f"Call-ID: {call.call_id}",
            f"CSeq: {call.cseq} {method}",
            *more,
            "Content-Length: 0",
        ]
        return "\r\n".join(lines) + "\r\n\r\n"

    def _new(self, target: str, call_id: str = "") -> Call:
        name = next(_NAMES)
        return Call(
            call_id or f"{uuid.uuid4().hex}@127.0.0.1",
            f"<sip:{self.user}@127.0.0.1>;tag=a{name}",
            f"<sip:{target}@127.0.0.1>",
            f"sip:{target}@127.0.0.1:{self.proxy[1]}",
        )

    # -- what a phone does ---------------------------------------------------------------------

    def options(self) -> bool:
        """Return whether the proxy answers within a moment."""
        call = self._new("ping")
        self.send(self._request("OPTIONS", f"sip:127.0.0.1:{self.proxy[1]}", call))
        try:
            return self.wait(200, seconds=0.3).status == 200
        except NoMessageError:
            return False

    def register(self, expires: int = 600, contact: str = "", password: str = "") -> Message:
        """Register, or leave if `expires` is 0. With a password, answer the challenge."""
        call = self._new(self.user)
        contact = contact or f"<{self.contact}>"
        uri = f"sip:127.0.0.1:{self.proxy[1]}"
        more = (f"Contact: {contact}", f"Expires: {expires}")
        self.send(self._request("REGISTER", uri, call, *more))
        answer = self.wait(200, 400, 401, 403, 500, 503)
        if answer.status != 401 or not password:
            return answer
        call.cseq += 1
        proof = self._digest("REGISTER", uri, answer.get("WWW-Authenticate"), password)
        self.send(self._request("REGISTER", uri, call, *more, f"Authorization: {proof}"))
        return self.wait(200, 400, 401, 403, 500, 503)

    def _digest(self, method: str, uri: str, challenge: str, password: str) -> str:
        realm, nonce = re.findall(r'(?:realm|nonce)="([^"]*)"', challenge)
        secret, asked = _md5(f"{self.user}:{realm}:{password}"), _md5(f"{method}:{uri}")
        words = {"username": self.user, "realm": realm, "nonce": nonce, "uri": uri}
        words["response"] = _md5(f"{secret}:{nonce}:{asked}")
        return "Digest " + ", ".join(f'{name}="{value}"' for name, value in words.items())

    def invite(self, target: str, *more: str, call_id: str = "") -> Call:
        call = self._new(target, call_id)
        contact = f"Contact: <{self.contact}>"
        self.send(self._request("INVITE", call.target, call, contact, *more))
        return call

    def invite_again(self, call: Call, challenge: Message, password: str) -> None:
        """Send the INVITE with the proof that the 407 requested."""
        self.send(self._request("ACK", call.target, call))
        call.cseq += 1
        asked = challenge.get("Proxy-Authenticate")
        proof = f"Proxy-Authorization: {self._digest('INVITE', call.target, asked, password)}"
        contact = f"Contact: <{self.contact}>"
        self.send(self._request("INVITE", call.target, call, contact, proof))

    def answered(self, call: Call) -> Message:
        """Wait for the 2xx, learn the route from it, and send the ACK."""
        answer = self.wait(200)
        call.remote = answer.get("To")
        call.routes = list(reversed(answer.all("Record-Route")))
        call.target = answer.get("Contact").strip("<>")
        call.branch = f"z9hG4bK{uuid.uuid4().hex}"
        self.send(self._request("ACK", call.target, call))
        return answer

    def bye(self, call: Call) -> None:
        call.cseq += 1
        self.send(self._request("BYE", call.target, call))

    def cancel(self, call: Call) -> None:
        self.send(self._request("CANCEL", call.target, call))

    def reply(self, request: Message, status: int, reason: str, *more: str) -> Call:
        """Answer a request. Return the call as the callee's end has it."""
        to = request.get("To")
        local = to if ";tag=" in to or status == 100 else f"{to};tag=b{self.port}"
        lines = [
            f"SIP/2.0 {status} {reason}",
            *(f"Via: {via}" for via in request.all("Via")),
            *(f"Record-Route: {route}" for route in request.all("Record-Route")),
            f"From: {request.get('From')}",
            f"To: {local}",
            f"Call-ID: {request.get('Call-ID')}",
            f"CSeq: {request.get('CSeq')}",
            f"Contact: <{self.contact}>",
            *more,
            "Content-Length: 0",
        ]
        self.send("\r\n".join(lines) + "\r\n\r\n", request.sender)
        target = request.get("Contact").strip("<>")
        routes = request.all("Record-Route")
        return Call(request.get("Call-ID"), local, request.get("From"), target, routes)
