"""Filters and tags of the console's pages."""
