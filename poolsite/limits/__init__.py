"""Rate limits: how many requests a client may make, counted in Redis by one script.

Use `shares().take(key, client)` in an event loop and `take_now(client)` in a thread.
`poolsite.access.limiting` defines the clients and their limits. Decision record: 0037.
"""
