"""The pools' live topics; importing this registers them."""

from numbers.topics.figures import PoolFiguresTopic, PoolListTopic, figures_of
from numbers.topics.story import NumberTopic
from numbers.topics.tiles import TilesTopic

__all__ = ["NumberTopic", "PoolFiguresTopic", "PoolListTopic", "TilesTopic", "figures_of"]
