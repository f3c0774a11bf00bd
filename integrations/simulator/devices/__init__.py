"""Devices that report to a gate and carry out their tasks on the external system."""
