"""Incidents, and tags and notes of objects, in the API."""
