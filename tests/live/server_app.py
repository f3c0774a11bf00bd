"""The live socket alone, with the tests' topics in it, as a server process runs it."""

import poolsite  # noqa: F401  first: see poolsite/__init__.py

# isort: split
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application
from django.urls import re_path

pages = get_asgi_application()

# isort: split
from poolsite.live import routing
from tests.live import sample_topics  # noqa: F401  registers its topics

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": URLRouter(
            [*routing.websocket_urlpatterns, re_path("", routing.missing_socket)]
        ),
    }
)
