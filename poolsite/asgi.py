"""The web application: the hot lane and live sockets first, Django for the rest."""

import os

import poolsite  # noqa: F401  first: see poolsite/__init__.py

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

from django.core.asgi import get_asgi_application

from poolsite.runtime import startup

startup.verify()
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter

from poolsite.live import routing as live_routing

websockets = URLRouter([*live_routing.websocket_urlpatterns, *live_routing.missing_urlpatterns])
application = ProtocolTypeRouter({"http": django_application, "websocket": websockets})
