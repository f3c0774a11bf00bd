"""Simulates a dispatcher's group: front-ends, instances, and the supervisor that restarts them."""
