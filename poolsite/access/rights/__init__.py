"""Rights take effect everywhere within a second.

SQL is the truth. A process may remember a principal for a short while, and hears by Redis
pub/sub when someone's rights changed; while it cannot hear, it remembers nothing. So a revoked
token, an ended session or a lost role is refused by every process, on HTTP and on open sockets,
as soon as the message arrives; the reasons are in docs/reference/access.md.
"""
