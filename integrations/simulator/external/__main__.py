"""`python -m integrations.simulator.external --port N --strong 60 [--gate SLUG …]`.

POST /work {"client", "token", "deadline" (µs), "permit", "seconds"} holds the connection for as
long as the work takes: 200, or 409 with the reason. If the simulation file has a signing key for
the gate, only the content of the signed permit counts. GET /count returns how many clients are
served at once.
"""

import argparse
import asyncio
import contextlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from integrations.poolsite_client import InvalidPermit, MemoryStore, Verifier
from integrations.simulator.external.service import System
from integrations.simulator.kept import KeptTransport

TELL_SECONDS = 1.0


@dataclass(frozen=True)
class Checks:
    """Admits only clients with a permit of this gate."""

    verifier: Verifier
    gate: str

    def words(self, signed: object) -> tuple[str, int, int]:
        """Return client, token and deadline (µs).

        Raise InvalidPermit if the permit is not valid.
        """
        permit = self.verifier.check(signed, gate=self.gate)
        return permit.holder.removeprefix("@"), permit.token, permit.deadline_us


def build(system: System, checks: Checks | None = None) -> Starlette:
    """Return the system as an ASGI application. With `checks`, it works only for signed permits."""

    async def work(request: Request) -> Response:
        try:
            body = await request.json()
            words = str(body["client"]), int(body["token"]), int(body["deadline"])
            seconds = float(body["seconds"])
            if checks is not None:
                words = checks.words(body.get("permit"))
        except InvalidPermit as error:
            system.refuse(error.reason)
            return JSONResponse({"reason": error.reason}, 409)
        except (ValueError, KeyError, TypeError) as error:
            return JSONResponse({"reason": f"malformed: {error}"}, 422)
        reason = await system.work(*words, seconds)
        return JSONResponse({"reason": reason}, 409 if reason else 200)

    async def count(_: Request) -> Response:
        return JSONResponse({"count": system.count, "most": system.most, "refused": system.refused})

    return Starlette(routes=[Route("/work", work, methods=["POST"]), Route("/count", count)])


async def tell_the_gate(system: System, url: str, slug: str, token: str) -> None:
    """Report the system's own count to the gate every second. A lost report is not repeated."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(
        base_url=url, headers=headers, timeout=5.0, transport=KeptTransport()
    ) as http:
        while True:
            await asyncio.sleep(TELL_SECONDS)
            with contextlib.suppress(httpx.HTTPError):
                await http.post(f"/api/v1/gates/{slug}/observe", json=system.tell())


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal."""
    system = System(options.strong, obeys=not options.ignore_deadlines, log=options.log)
    system.open()
    telling, checks = None, None
    if options.gate:
        gate = gate_of(options.config, options.gate)
        if gate.get("signing_key") and system.obeys:
            checks = Checks(Verifier([gate["signing_key"]], store=MemoryStore()), options.gate)
        word = tell_the_gate(system, options.url, options.gate, gate["token"])
        telling = asyncio.create_task(word)
    application = build(system, checks)
    config = uvicorn.Config(
        application, host="127.0.0.1", port=options.port, log_level="warning", lifespan="off"
    )
    await uvicorn.Server(config).serve()
    if telling is not None:
        telling.cancel()


def gate_of(config: Path, slug: str) -> dict[str, Any]:
    """Return the gate's part of the simulation file. Raise ValueError if there is none."""
    for gate in json.loads(config.read_text()).get("gates", []):
        if gate["slug"] == slug:
            return dict(gate)
    raise ValueError(f"{config} has no gate {slug}.")


def main() -> int:
    """Serve until a signal. Return 1 after printing one sentence if it cannot start."""
    parser = argparse.ArgumentParser(prog="python -m integrations.simulator.external")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--strong", type=int, default=60, help="clients that it serves well")
    parser.add_argument("--ignore-deadlines", action="store_true")
    parser.add_argument("--log", type=Path, help="every change of the count, as JSON lines")
    parser.add_argument("--gate", default="", help="tell this gate the own count")
    parser.add_argument("--config", type=Path, help="the simulation file, for the gate's token")
    parser.add_argument("--url", default="", help="the platform")
    try:
        asyncio.run(serve(parser.parse_args()))
    except (ValueError, OSError) as error:
        print(f"external: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
