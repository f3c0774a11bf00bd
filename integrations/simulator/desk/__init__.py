"""Visitors and agents of a desk, which use only the public interface."""
