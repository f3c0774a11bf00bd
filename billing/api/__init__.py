"""Billing's HTTP API: the hot lane, which is served before Django, and the routes behind Django."""
