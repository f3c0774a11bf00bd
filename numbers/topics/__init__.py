"""The pools' live topics; importing this registers them."""

from numbers.topics.tiles import TilesTopic

__all__ = ["TilesTopic"]
