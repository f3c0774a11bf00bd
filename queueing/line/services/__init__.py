"""What is done at a desk. Other apps call these; nobody else writes."""
