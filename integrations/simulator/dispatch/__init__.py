"""Plays a dispatcher's group: front-ends, application-server instances, and who restarts them."""
