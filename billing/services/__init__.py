"""What a use case of billing does: writes, each with its audit entry."""
