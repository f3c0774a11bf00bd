"""The counters of a simulated switch."""

from dataclasses import dataclass, field


@dataclass
class SwitchCounters:
    """What this switch saw, for the summary."""

    offered: int = 0
    carried: int = 0
    blocked: int = 0
    unknown: int = 0
    restarts: int = 0
    lost_hangups: int = 0
    duplicates: int = 0
    unreachable: int = 0
    adopted: int = 0
    faults: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def refuse(self, reason: str) -> None:
        """Count a call that the pool refused."""
        if reason == "exhausted":
            self.blocked += 1
        else:
            self.refused[reason] = self.refused.get(reason, 0) + 1
