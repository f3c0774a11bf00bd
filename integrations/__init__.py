"""Clients of the public interfaces. They import nothing from the Django apps."""
