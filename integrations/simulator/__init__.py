"""Simulated switches and agents, which use only the public interfaces.

`python -m integrations.simulator --config FILE` simulates the switches that FILE lists
(integrations/simulator/README.md).
"""
