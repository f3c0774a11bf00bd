"""The HTTP interface at /api/v1/: one OpenAPI document over two lanes.

`lane` serves the hot routes before Django, `root` the rest by django-ninja and the document;
`problems` gives both the same errors. Apps register in `AppConfig.ready()`.
"""
