"""How often a server was asked for each command, by its own count."""

from collections import Counter
from typing import Any

Calls = Counter[str]


def calls_of(client: Any) -> Calls:
    """Return the calls of each command since the server started; those inside scripts, too."""
    stats = client.info("commandstats")
    return Counter({name.removeprefix("cmdstat_"): each["calls"] for name, each in stats.items()})
