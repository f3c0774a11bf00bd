"""Devices that report to a gate and carry their tasks out on the external system."""
