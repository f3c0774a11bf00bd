"""The gateway's HTTP interface.

PUT  /accounts/{account}/messages/{id}   accept a message: 202; the same again: 200; another body
                                         with that ID: 409; one that it cannot send: 422
POST /accounts/{account}/messages        up to 100 messages, each with its message_id: returns a
                                         status and a detail for each, in order
GET  /accounts/{account}/messages/{id}   the message's state
GET  /ledger?account=&after=&limit=      its books; /ledger/summary: counts
POST /webhooks                           a customer's own server: accepts signed webhooks, 204; one
                                         in twenty is answered 503 at first, and is sent again
GET  /                                   the outcomes and the counts, as text
"""

import hashlib
import hmac
import re
import time
from typing import Any

import orjson
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from integrations.simulator.gateway.ledger import Accepted, Ledger
from integrations.simulator.gateway.outcomes import NATIVE_MODES, table
from integrations.simulator.gateway.reporting import Courier
from integrations.simulator.gateway.webhooks import WebhookReceiver

BODY_LIMIT_BYTES = 256 * 1024
NUMBER = re.compile(r"\+[0-9]{5,15}\Z")
ROWS_LIMIT = 10_000
MESSAGES_LIMIT = 100


class Refused(Exception):  # noqa: N818  an answer
    """The gateway refuses the request, with an HTTP status and one sentence."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def build(ledger: Ledger, courier: Courier, token: str, *, webhook_secret: str = "") -> Starlette:
    """Return the application for one ledger. Senders must present `token`.

    webhook_secret verifies the webhooks that the platform sends. With "", none are accepted.
    """
    webhooks = WebhookReceiver(webhook_secret)

    def authorise(request: Request) -> None:
        shown = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(shown.encode(), token.encode()):
            raise Refused(401, "unknown token")

    def take(account: str, message_id: str, body: Any) -> tuple[int, str]:
        number, native, fallback = _read(body)
        raw = orjson.dumps(body, option=orjson.OPT_SORT_KEYS)
        digest = hashlib.sha256(raw).hexdigest()[:32]
        known = ledger.messages.get((account, message_id))
        if known is not None:
            if known.body_hash != digest:
                raise Refused(409, "another message has this id")
            ledger.repeats += 1
            return 200, "repeat"
        message = Accepted(account, message_id, number, native, fallback, digest, time.time())
        ledger.accept(message)
        courier.plan(ledger.messages[message.key])
        return 202, "accepted"

    async def put(request: Request) -> Response:
        authorise(request)
        account, message_id = request.path_params["account"], request.path_params["id"]
        status, word = take(account, message_id, _json_of(await request.body()))
        return _json({"message_id": message_id, "status": word}, status)

    async def post(request: Request) -> Response:
        authorise(request)
        items = _json_of(await request.body())
        if not isinstance(items, list) or not 0 < len(items) <= MESSAGES_LIMIT:
            raise Refused(422, f"a list of 1 to {MESSAGES_LIMIT} messages is needed")
        results = []
        for item in items:
            try:
                message_id = _id_of(item)
                body = {name: value for name, value in item.items() if name != "message_id"}
                status, word = take(request.path_params["account"], message_id, body)
            except Refused as refused:
                status, word = refused.status, str(refused)
            results.append({"status": status, "detail": word})
        return _json(results)

    async def get(request: Request) -> Response:
        authorise(request)
        known = ledger.messages.get((request.path_params["account"], request.path_params["id"]))
        if known is None:
            raise Refused(404, "no such message")
        return _json(known.as_row())

    async def rows(request: Request) -> Response:
        authorise(request)
        after = _number(request, "after", 0)
        limit = min(_number(request, "limit", 1_000), ROWS_LIMIT)
        found = list(ledger.rows(request.query_params.get("account", "")))
        shown = found[after : after + limit]
        following = after + limit if after + limit < len(found) else None
        return _json({"rows": [each.as_row() for each in shown], "next": following})

    async def summary(request: Request) -> Response:
        authorise(request)
        account = request.query_params.get("account", "")
        return _json({**ledger.summary(account), "refused_reports": courier.refused})

    async def home(request: Request) -> Response:
        counts = ledger.summary()
        lines = ["Simulated gateway. The last digit of a number decides:", "", *table(), ""]
        lines.append(f"accepted {counts['accepted']}, delivered {counts['delivered']}")
        lines += [f"  {mode:<18} {count}" for mode, count in sorted(counts["by_mode"].items())]
        lines += [f"webhook {kind:<18} {count}" for kind, count in sorted(webhooks.counts.items())]
        return PlainTextResponse("\n".join(lines) + "\n")

    def refuse(request: Request, error: Exception) -> Response:
        status = error.status if isinstance(error, Refused) else 500
        return _json({"status": "refused", "detail": str(error)}, status)

    message_path = "/accounts/{account}/messages/{id}"
    return Starlette(
        routes=[
            Route("/", home),
            Route("/healthz", lambda request: PlainTextResponse("ok\n")),
            Route(message_path, put, methods=["PUT"]),
            Route(message_path, get),
            Route("/accounts/{account}/messages", post, methods=["POST"]),
            Route("/webhooks", webhooks.take, methods=["POST"]),
            Route("/ledger", rows),
            Route("/ledger/summary", summary),
        ],
        exception_handlers={Refused: refuse},
    )


def _json_of(raw: bytes) -> Any:
    if len(raw) > BODY_LIMIT_BYTES:
        raise Refused(413, "the message is too large")
    try:
        return orjson.loads(raw)
    except ValueError:
        raise Refused(422, "not JSON") from None


def _id_of(item: Any) -> str:
    message_id = item.get("message_id") if isinstance(item, dict) else None
    if not isinstance(message_id, str) or not message_id:
        raise Refused(422, "a message has a message_id")
    return message_id


def _read(body: Any) -> tuple[str, str, str]:
    """Return the number and the kinds of the native message and the fallback.

    Raise Refused if the body is not a message.
    """
    try:
        number = body["number"]
        native, fallback = body["native"]["kind"], body["fallback"]["kind"]
    except (KeyError, TypeError):
        raise Refused(422, "not a message") from None
    if not isinstance(number, str) or not NUMBER.match(number):
        raise Refused(422, "the number cannot be reached")
    if native not in NATIVE_MODES or fallback not in ("yuexin", "video"):
        raise Refused(422, "unknown kind of message")
    return number, native, fallback


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise Refused(422, f"{name} is not a number")
    return int(text)


def _json(body: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(body), status, media_type="application/json")
