"""Visitors wait for agents: desks, queues, rooms (docs/reference/line/README.md)."""
