"""What is read of the desks, tenant-safe."""
