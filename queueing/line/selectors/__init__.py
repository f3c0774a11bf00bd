"""Read-only access to the desks, limited to the tenant."""
