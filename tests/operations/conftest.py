"""An empty Redis, no cached health answers, and a person who sends the requests."""

from tests.support.registries import fresh, olga

__all__ = ["fresh", "olga"]
