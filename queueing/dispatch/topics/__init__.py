"""The groups' live topics; importing this registers them."""

from queueing.dispatch.topics import figures, peers, upgrades  # noqa: F401
