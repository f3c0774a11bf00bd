"""Billing's HTTP faces: the hot lane before Django, and the rest behind it."""
