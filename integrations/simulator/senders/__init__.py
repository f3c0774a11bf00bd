"""Customers' chatbots, which use the public interface: hold, hand over, and session messages."""
