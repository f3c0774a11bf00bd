"""The writing operations of a desk. Other apps call these; no other code writes."""
