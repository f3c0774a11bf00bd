"""The groups' API."""
