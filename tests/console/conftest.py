"""An empty Redis and forgotten health answers."""

from tests.support.registries import fresh

__all__ = ["fresh"]
