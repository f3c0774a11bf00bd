"""Webhooks: events are posted to users' systems, signed, retried for a day, and logged.

`event_types`: the types of events, which apps declare. `emitting`: stores an event in the
transaction in which it happens. `sending`: the sweep that posts events. `services`: what people do
to endpoints.
"""
