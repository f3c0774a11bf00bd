"""The wallets' live topics; importing this registers them."""

from billing.topics.campaigns import CampaignTopic
from billing.topics.wallets import WalletFiguresTopic, WalletTopic
from billing.topics.work import BooksTopic, FlaggedTopic

__all__ = ["BooksTopic", "CampaignTopic", "FlaggedTopic", "WalletFiguresTopic", "WalletTopic"]
