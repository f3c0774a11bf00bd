"""The live socket with the tests' topics, without the rest of the site, in a server process.

The environment variable TEST_BEAT_SECONDS sets how often it asks for presence, so that tests wait
less.
"""

import os
from typing import Any, cast

import poolsite  # noqa: F401  first: see poolsite/__init__.py


def _application() -> Any:
    from channels.routing import ProtocolTypeRouter, URLRouter
    from django.core.asgi import get_asgi_application

    pages = get_asgi_application()

    from poolsite.api.static import static_files
    from poolsite.live import routing, socket
    from tests.live import sample_topics  # noqa: F401  registers its topics

    socket.BEAT_SECONDS = float(os.environ.get("TEST_BEAT_SECONDS", socket.BEAT_SECONDS))
    missing = routing.socket("", routing.missing_socket)
    sockets = URLRouter([*routing.websocket_urlpatterns, missing])
    return ProtocolTypeRouter({"http": static_files(cast(Any, pages)), "websocket": sockets})


application = _application()
