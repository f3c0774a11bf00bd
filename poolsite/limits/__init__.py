"""Rate limits: how many requests a client may make, counted in Redis by one script.

`shares().take(key, client)` in an event loop, `take_now(client)` in a thread. Who the clients are
and what their limits are is said in `poolsite.access.limiting`. Decision record: 0037.
"""
