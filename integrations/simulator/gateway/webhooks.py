"""A customer's server for webhooks: it verifies each, and counts it once."""

from collections import Counter

import orjson
from starlette.requests import Request
from starlette.responses import Response

from integrations.webhooks.verify import verify

REFUSED_EVERY = 20  # so that the log shows how a failed delivery is repeated


class WebhookReceiver:
    """Answers 204 to webhooks that are signed with `secret`, 400 to all other requests."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._seen: set[str] = set()
        self._received = 0
        self.counts: Counter[str] = Counter()  # by type of event

    async def take(self, request: Request) -> Response:
        """Handle one request."""
        raw = await request.body()
        signature = request.headers.get("poolsite-signature", "")
        if not self._secret or not verify(self._secret, raw, signature):
            return Response(status_code=400)
        self._received += 1
        if self._received % REFUSED_EVERY == 0:
            return Response(status_code=503)
        event = orjson.loads(raw)
        if event["id"] not in self._seen:
            self._seen.add(event["id"])
            self.counts[event["type"]] += 1
        return Response(status_code=204)
