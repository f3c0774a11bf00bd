"""Sessions between protocol front-ends and application-server instances."""
