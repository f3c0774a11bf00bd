"""The HTTP interface at /api/v1/: one OpenAPI document over two lanes.

`lane` serves the hot routes before Django. `root` serves the rest with django-ninja, and makes the
document. `problems` gives both the same errors. Apps register in `AppConfig.ready()`.
"""
