"""The groups' live topics. Importing this package registers them."""

from queueing.dispatch.topics import figures, peers, upgrades  # noqa: F401
