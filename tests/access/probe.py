"""A web process that reports the principal of its caller: `uvicorn tests.access.probe:app`.

Like the hot lane and the live sockets, it uses `principal_of_scope` and `watch`. `POST /do/<verb>`
calls a service in this process, so that tests see when another process notices.
"""

import asyncio
import json
import os
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

import django

django.setup()

from channels.db import database_sync_to_async  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from poolsite import access  # noqa: E402
from poolsite.access import lookup, services  # noqa: E402
from poolsite.access.models import Account, ApiToken, User  # noqa: E402
from poolsite.access.rights.hub import HUB  # noqa: E402

LOOKUPS = 0
_of_credential = lookup.of_credential


def _counted(*args: Any, **kwargs: Any) -> access.Principal:
    global LOOKUPS
    LOOKUPS += 1
    return _of_credential(*args, **kwargs)


lookup.of_credential = _counted


def _session(username: str) -> str:
    client = Client()
    client.force_login(User.objects.get(username=username))
    return str(client.session.session_key)


def _do(verb: str, options: dict[str, str]) -> str:
    """Run a service. Return what it created, or ""."""
    name = options.get("user", "")
    if verb == "session":
        return _session(name)
    if verb == "end_session":
        client = Client()
        client.cookies["session"] = options["key"]
        client.post("/logout/")
    elif verb == "log_out_everywhere":
        services.log_out_everywhere(user=User.objects.get(username=name), actor="probe")
    elif verb == "password":
        user = User.objects.get(username=name)
        services.password_set(user=user, password="another long password", actor="probe")
    elif verb == "deactivate":
        user = User.objects.get(username=name)
        services.user_deactivate(user=user, actor="probe", reason="test")
    elif verb == "roles":
        services.membership_set(
            user=User.objects.get(username=name),
            account=Account.objects.get(slug="own"),
            roles=options.get("roles", "").split(),
            actor="probe",
        )
    elif verb == "token":
        token, secret = services.token_create(
            name="switch",
            account=Account.objects.get(slug="own"),
            resources=["*"],
            actor="probe",
            expires_at=timezone.now() + timedelta(seconds=float(options["seconds"])),
        )
        return f"{token.pk} {secret}"
    elif verb == "revoke":
        services.token_revoke(token=ApiToken.objects.get(pk=options["token"]), actor="probe")
    elif verb == "visitor_token":
        return services.visitor_token(desk="support", visit="v1", account_id=None, seconds=600)
    elif verb == "visitor_end":
        services.visitor_end(visit="v1")
    else:
        raise LookupError(verb)
    return ""


async def app(scope: Any, receive: Any, send: Any) -> None:
    """HTTP: /whoami, /do/<verb>. Websocket: closed when the rights behind it end."""
    if scope["type"] == "websocket":
        await _watch(scope, receive, send)
    elif scope["type"] == "http":
        await _answer(scope, send)
    else:
        await receive()


async def _answer(scope: Any, send: Any) -> None:
    options = dict(parse_qsl(scope["query_string"].decode()))
    if scope["path"].startswith("/do/"):
        verb = scope["path"].removeprefix("/do/")
        said: Any = await database_sync_to_async(_do, thread_sensitive=False)(verb, options)
    else:
        principal = await access.principal_of_scope(scope)
        said = {
            "kind": principal.kind,
            "id": principal.id,
            "roles": sorted(role for roles in principal.memberships.values() for role in roles),
            "lookups": LOOKUPS,
            "listening": HUB.is_listening(),
        }
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(said).encode()})


async def _watch(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    principal = await access.principal_of_scope(scope)
    if not principal.is_authenticated:
        await send({"type": "websocket.close", "code": 4401})
        return
    await send({"type": "websocket.accept"})
    ended: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def revoked(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    eye = access.watch(principal, revoked)
    listening = asyncio.ensure_future(_until_gone(eye, receive, send))
    waited: list[asyncio.Future[Any]] = [ended, listening]
    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    eye.close()
    listening.cancel()
    if ended.done():
        await send({"type": "websocket.close", "code": ended.result()})


async def _until_gone(eye: access.Watch, receive: Any, send: Any) -> None:
    """Answer every frame with the roles that are known now."""
    while (await receive())["type"] != "websocket.disconnect":
        roles = sorted(role for roles in eye.principal.memberships.values() for role in roles)
        await send({"type": "websocket.send", "text": " ".join(roles)})
