"""Visitors and agents of a desk, by the public interface alone."""
