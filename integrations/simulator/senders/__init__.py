"""Chatbots of customers who send by the public interface: hold, hand over, and session messages."""
