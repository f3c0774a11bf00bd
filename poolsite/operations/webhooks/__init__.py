"""Webhooks: events are posted to users' systems, signed, retried for a day, and logged.

`event_types`: what can be sent, declared by the apps. `emitting`: called where something happens,
in its transaction. `sending`: the sweep that posts. `services`: what people do to endpoints.
"""
