"""Webhooks: registers an endpoint, and receives and verifies a test event."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from connection import ACCOUNT, expect, wait_for
from poolsite_api import AuthenticatedClient, models
from poolsite_api.api.webhooks import create_webhook, get_webhook_delivery, send_test_event
from verify import verify  # a copy of integrations/webhooks/verify.py


@contextmanager
def receiver(got: dict[str, bytes]) -> Iterator[str]:
    """Receive webhooks at the address that the block gets. `got` contains the newest request."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got["body"] = self.rfile.read(int(self.headers["Content-Length"]))
            got["signature"] = self.headers["Poolsite-Signature"].encode()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks"
    finally:
        server.shutdown()
        server.server_close()


def drive_webhooks(person: AuthenticatedClient) -> None:
    """Send a test event to an endpoint of ours, signed with the endpoint's secret."""
    got: dict[str, bytes] = {}
    with receiver(got) as address:
        body = models.EndpointIn("CRM", address, ["message.failed"], account=ACCOUNT)
        made = expect(
            models.EndpointMadeOut, create_webhook.sync_detailed(client=person, body=body)
        )
        sent = expect(models.DeliveryOut, send_test_event.sync_detailed(made.id, client=person))

        def delivered() -> models.DeliveryDetailOut | None:
            answer = get_webhook_delivery.sync_detailed(made.id, sent.id, client=person)
            found = expect(models.DeliveryDetailOut, answer)
            return found if found.state == "delivered" else None

        event = wait_for(delivered)
    assert verify(made.secret, got["body"], got["signature"].decode())
    assert json.loads(got["body"])["id"] == event.event, event
    print(f"webhooks: {event.type_} received")
