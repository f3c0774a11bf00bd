"""What pages, topics and machines read of billing. Tenant-safe."""
