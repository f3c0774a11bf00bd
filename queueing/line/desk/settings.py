"""Queues' and agents' settings in Redis: short fields in a fixed order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

MODES: Final = {"auto": "a", "offer": "o", "manual": "m"}
NO_AGENT: Final = {"wait": "w", "overflow": "o", "form": "f", "end": "e"}


@dataclass(frozen=True, slots=True)
class QueueSettings:
    """The settings that the scripts need; names as in models.Queue.

    `overflow`: a queue's ID or 0.
    """

    mode: str = "auto"
    is_open: bool = True
    ttl_seconds: int = 15
    grace_seconds: int = 60
    offer_seconds: int = 20
    misses_limit: int = 3
    wrap_up_seconds: int = 0
    max_wait_seconds: int = 0
    max_length: int = 10_000
    overflow: int = 0
    no_agent: str = "wait"
    no_agent_seconds: int = 300
    skills_relax_seconds: int = 30
    room_grace_seconds: int = 90
    agent_grace_seconds: int = 60
    decline_seconds: int = 30

    def words(self) -> str:
        """Return the settings as the text that the scripts split."""
        return " ".join(
            map(
                str,
                (
                    *(MODES[self.mode], int(self.is_open), self.ttl_seconds, self.grace_seconds),
                    *(self.offer_seconds, self.misses_limit, self.wrap_up_seconds),
                    *(self.max_wait_seconds, self.max_length, self.overflow),
                    *(NO_AGENT[self.no_agent], self.no_agent_seconds, self.skills_relax_seconds),
                    *(self.room_grace_seconds, self.agent_grace_seconds),
                    self.decline_seconds,
                ),
            )
        )


@dataclass(frozen=True, slots=True)
class AgentSettings:
    """An agent's settings. `queues`: their IDs; `skills`: name → level 1 to 9."""

    queues: Sequence[int]
    capacity: int = 1
    skills: Mapping[str, int] = field(default_factory=dict)
    ttl_seconds: int = 15

    def words(self) -> tuple[str, ...]:
        """Return capacity, queues, skills and time to live in the form that the script takes."""
        queues = ",".join(f"{queue:06}" for queue in sorted(set(self.queues))) or "-"
        return str(self.capacity), queues, skill_words(self.skills), str(self.ttl_seconds * 1_000)


def skill_words(skills: Mapping[str, int]) -> str:
    """Return skills with levels, ordered by name: equal sets make equal texts."""
    return ",".join(f"{name}:{level}" for name, level in sorted(skills.items()))
