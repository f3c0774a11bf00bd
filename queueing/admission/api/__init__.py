"""The gates' APIs."""
