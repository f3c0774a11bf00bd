"""An empty Redis, forgotten health answers, and a person to ask as."""

from tests.support.registries import fresh, olga

__all__ = ["fresh", "olga"]
