"""The pages of the waiting line."""
