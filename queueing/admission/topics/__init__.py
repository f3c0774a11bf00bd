"""The gates' live topics; importing this registers them."""

from queueing.admission.topics.batches import BatchesTopic, BatchTopic
from queueing.admission.topics.figures import GateFiguresTopic, GateListTopic
from queueing.admission.topics.holders import HoldersTopic, LineTopic

__all__ = [
    "BatchTopic",
    "BatchesTopic",
    "GateFiguresTopic",
    "GateListTopic",
    "HoldersTopic",
    "LineTopic",
]
