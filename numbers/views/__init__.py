"""The pages of the pools and their numbers."""
