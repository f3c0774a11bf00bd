"""How often a server ran each command, by its own count."""

from collections import Counter
from typing import Any

Calls = Counter[str]


def calls_of(client: Any) -> Calls:
    """Return the calls of each command since the server started, including calls by scripts."""
    stats = client.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): each["calls"] for name, each in stats.items()})
