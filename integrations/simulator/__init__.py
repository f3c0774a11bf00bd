"""Simulated switches and agents that use the public interfaces only.

`python -m integrations.simulator --config FILE` plays the switches that FILE names
(integrations/simulator/README.md).
"""
