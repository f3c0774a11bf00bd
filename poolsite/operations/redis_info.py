"""What the hot path's Redis reports about itself."""

from typing import Any

from poolsite import hotpath


def primaries() -> dict[str, dict[str, Any]]:
    """Return INFO of each master, by its address. A single server is named `primary`."""
    client = hotpath.client()
    if hasattr(client, "get_primaries"):
        found: dict[str, dict[str, Any]] = client.info(target_nodes="primaries")
        return found
    return {"primary": client.info()}
