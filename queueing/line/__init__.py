"""Visitors wait for agents: desks, queues, rooms (docs/line.md)."""
