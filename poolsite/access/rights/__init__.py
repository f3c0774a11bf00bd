"""Changes of rights take effect everywhere within a second.

SQL has the truth. A process may cache a principal for a short time, and Redis pub/sub notifies it
when the rights change; while it can't receive that, it caches nothing. So every process refuses a
revoked token, an ended session or a lost role, on HTTP and on open sockets, as soon as the message
arrives. docs/reference/access.md has the reasons.
"""
