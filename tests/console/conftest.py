"""An empty Redis and no cached health answers."""

from tests.support.registries import fresh

__all__ = ["fresh"]
