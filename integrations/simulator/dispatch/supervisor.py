"""The supervisor that restarts instances, as an operator's own tools would in a rolling upgrade."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any

import httpx

from integrations.simulator.dispatch.instances import SimulatedInstance

logger = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
DOWN_SECONDS = 1.0  # between the old version's end and the new one's start


class Supervisor:
    """Watches the group's upgrades through the public interface, and carries them out.

    It stops an instance only when its step reports that this is safe. It then starts the target
    version under the same name.
    """

    def __init__(
        self, http: httpx.AsyncClient, slug: str, instances: Mapping[str, SimulatedInstance]
    ) -> None:
        self._http, self._instances = http, instances
        self._path = f"/api/v1/groups/{slug}"
        self.restarted: list[tuple[str, str]] = []

    async def versions(self) -> dict[str, str]:
        """Return the last version of each name, as the platform remembers it."""
        rows = await self._get("/instances")
        return {row["name"]: row["version"] for row in rows or [] if row["version"]}

    async def run(self) -> None:
        """Check the upgrades every two seconds."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            found = await self._get("/upgrades?status=running") or {"data": []}
            for upgrade in found["data"]:
                await self._obey(upgrade)

    async def _obey(self, upgrade: dict[str, Any]) -> None:
        target = upgrade["target_version"]
        for step in upgrade["steps"]:
            instance = self._instances.get(step["name"])
            if instance is None or step["status"] != "safe" or instance.version == target:
                continue
            logger.info("supervisor: %s goes to %s", instance.name, target)
            await instance.stop()
            await asyncio.sleep(DOWN_SECONDS)
            await instance.start(target)
            self.restarted.append((instance.name, target))

    async def _get(self, path: str) -> Any:
        try:
            answer = await self._http.get(self._path + path)
            return answer.json() if answer.status_code == httpx.codes.OK else None
        except (httpx.HTTPError, ValueError, OSError) as error:
            logger.info("supervisor: %r", error)
            return None
