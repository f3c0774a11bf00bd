"""Clients of the public interfaces; they import nothing from the apps."""
