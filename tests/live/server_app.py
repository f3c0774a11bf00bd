"""The live socket alone, with the tests' topics in it, as a server process runs it.

TEST_BEAT_SECONDS in its environment is how often it asks for presence: tests wait less.
"""

import os
from typing import Any, cast

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def _application() -> Any:
    from channels.routing import ProtocolTypeRouter, URLRouter
    from django.core.asgi import get_asgi_application
    from django.urls import re_path

    pages = get_asgi_application()

    from poolsite.api.static import static_files
    from poolsite.live import socket
    from poolsite.live.routing import missing_socket, websocket_urlpatterns
    from tests.live import sample_topics  # noqa: F401  registers its topics

    socket.BEAT_SECONDS = float(os.environ.get("TEST_BEAT_SECONDS", socket.BEAT_SECONDS))
    # Django's function knows views only; channels' router takes any ASGI application.
    missing = re_path("", missing_socket)  # type: ignore[arg-type]
    sockets = URLRouter([*websocket_urlpatterns, missing])
    return ProtocolTypeRouter({"http": static_files(cast(Any, pages)), "websocket": sockets})


application = _application()
