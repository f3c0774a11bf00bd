"""The load that a fault of money brings along: a hot account, and cold ones.

Real requests to the stack's web processes, with the chatbots' own tokens. What is held here is
cancelled again: it is not in the gateway's ledger.
"""

import itertools
import secrets
import statistics
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Self

import httpx

from tests.chaos.stack import Stack
from tests.support.waiting import patient

TIMEOUT_SECONDS = patient(10.0)
AT_ONCE = 40  # items of the hot account in one request
HOT_THREADS = 3
Chatbot = dict[str, Any]


def client_of(stack: Stack, place: int, chatbot: Chatbot) -> httpx.Client:
    return httpx.Client(
        base_url=f"http://127.0.0.1:{stack.web_ports[place % 2]}"
        f"/api/v1/accounts/{chatbot['account']}/",
        headers={"Authorization": f"Bearer {chatbot['token']}"},
        timeout=TIMEOUT_SECONDS,
        trust_env=False,
    )


def _holds(count: int) -> list[dict[str, Any]]:
    name = secrets.token_hex(8)
    return [
        {"message_id": f"chaos-{name}-{place}", "text": "Hello", "fallback": "none"}
        for place in range(count)
    ]


@dataclass
class Hot:
    """Holds and cancels on one account as fast as requests are answered, from several threads."""

    stack: Stack
    chatbot: Chatbot
    pause_seconds: float = 0.0
    served: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        for place in range(HOT_THREADS):
            thread = threading.Thread(target=self._run, args=(place,), daemon=True)
            self._threads.append(thread)
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _run(self, place: int) -> None:
        with client_of(self.stack, place, self.chatbot) as client:
            while not self._stop.is_set():
                items = _holds(AT_ONCE)
                ids = [{"message_id": item["message_id"]} for item in items]
                try:
                    answers = [
                        client.post("holds", json=items),
                        client.post("cancellations", json=ids),
                    ]
                except httpx.HTTPError:
                    continue
                done = sum(answer.status_code == 200 for answer in answers) * AT_ONCE
                with self._lock:
                    self.served += done
                self._stop.wait(self.pause_seconds)


@dataclass
class Cold:
    """Small requests on the other accounts, one after the other, with the time that each took."""

    stack: Stack
    chatbots: list[Chatbot]
    seconds: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    served: int = 0
    _clients: list[httpx.Client] = field(default_factory=list)

    def __enter__(self) -> Self:
        self._clients = [client_of(self.stack, n, each) for n, each in enumerate(self.chatbots)]
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def serve(self, seconds: float) -> None:
        """Hold and cancel one message on each account in turn, at most twenty times a second."""
        end = time.monotonic() + seconds
        for client in itertools.cycle(self._clients):
            if time.monotonic() > end:
                return
            (item,) = _holds(1)
            self._timed(client, "holds", item)
            self._timed(client, "cancellations", {"message_id": item["message_id"]})
            time.sleep(0.05)

    def forget(self) -> None:
        """Start a new measurement."""
        self.seconds, self.served = [], 0

    def p99_seconds(self) -> float:
        """Return the p99 of the answers since the measurement started."""
        return statistics.quantiles(self.seconds, n=100)[-1]

    def _timed(self, client: httpx.Client, path: str, body: dict[str, Any]) -> None:
        begun = time.monotonic()
        try:
            answer = client.post(path, json=body)
        except httpx.HTTPError as error:
            self.failed.append(repr(error))
        else:
            if answer.status_code >= 500:
                self.failed.append(f"{answer.status_code} {answer.text[:120]}")
        self.seconds.append(time.monotonic() - begun)
        self.served += 1
