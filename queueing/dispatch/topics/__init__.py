"""The groups' live topics; importing this registers them."""

from queueing.dispatch.topics.figures import GroupFiguresTopic, GroupListTopic
from queueing.dispatch.topics.peers import PeersTopic
from queueing.dispatch.topics.upgrades import UpgradeTopic

__all__ = ["GroupFiguresTopic", "GroupListTopic", "PeersTopic", "UpgradeTopic"]
