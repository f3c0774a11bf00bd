"""A running site for the generated clients' examples, with the work of worker and payer."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import stripe

from poolsite.runtime.redis_server import RedisServer
from tests.fuzz.stage import FuzzSite
from tests.live.servers import WebServer
from tests.support.ports import free_port
from tests.support.waiting import patient

SECRET = "whsec_of_tests"
WORLD = ("-m", "tests.integrations.generated.world")


class ExampleSite:
    """A web process with its own Redis and SQL. Its provider's address does not answer."""

    def __init__(self, folder: Path) -> None:
        self.redis = RedisServer(folder / "redis", port=free_port(), append_only=False).start()
        self.site = FuzzSite(folder / "site", f"{self.redis.url}?socket_timeout={patient(30)}")
        self.site.migrate()
        self.cookies = json.loads(self.site.run(*WORLD, "make"))
        given = {
            "POOLSITE_PAYMENTS": "stripe",
            "POOLSITE_STRIPE_SECRET_KEY": "sk_test_of_tests",
            "POOLSITE_STRIPE_WEBHOOK_SECRET": SECRET,
            "POOLSITE_OUTGOING_PRIVATE_ADDRESSES": "1",
        }
        self._given = given
        self.server = WebServer(
            self.site, "uvicorn", "poolsite.asgi:application", environment=given
        ).start()
        self.url = f"http://127.0.0.1:{self.server.port}"

    def work(self) -> None:
        """Do what worker, beat and the customer on the provider's page do, once."""
        done = self.site.forked(*WORLD, "work", **self._given)
        assert done.returncode == 0, done.stderr[-3000:]
        for top_up in json.loads(done.stdout.splitlines()[-1]):
            self._pay(top_up)

    def _pay(self, top_up: dict[str, Any]) -> None:
        """Report a paid checkout, as the provider does."""
        session = {
            "id": f"cs_test_{top_up['pk']}",
            "object": "checkout.session",
            "amount_subtotal": top_up["cents"],
            "amount_total": top_up["cents"],
            "client_reference_id": top_up["token"],
            "currency": top_up["currency"],
            "customer": None,
            "mode": "payment",
            "payment_intent": f"pi_{top_up['pk']}",
            "payment_status": "paid",
            "status": "complete",
        }
        event = {
            "id": f"evt_{top_up['pk']}",
            "object": "event",
            "api_version": "2026-02-25.clover",
            "created": int(time.time()),
            "type": "checkout.session.completed",
            "data": {"object": session},
            "livemode": False,
            "pending_webhooks": 1,
        }
        body = json.dumps(event)
        signed = stripe.WebhookSignature.generate_signature_header(body, SECRET, int(time.time()))
        answer = httpx.post(
            f"{self.url}/payments/events/stripe/",
            content=body,
            headers={"Content-Type": "application/json", "Stripe-Signature": signed},
            timeout=patient(30),
        )
        assert answer.is_success, answer.text

    def stop(self) -> None:
        self.server.stop()
        self.redis.stop()
