"""The web application: hot routes and static files first, sockets beside, Django for the rest.

Only settings, urls and this module name apps; they bring their hot routes and sockets along.
"""

import os

import poolsite  # noqa: F401  first: see poolsite/__init__.py

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

from django.core.asgi import get_asgi_application

from poolsite.runtime import startup

startup.verify()  # refuses an unsafe start with one sentence, before anything listens
django_application = get_asgi_application()

from channels.routing import ProtocolTypeRouter, URLRouter
from django.urls import re_path

from numbers.consumers import websocket_urlpatterns as numbers_sockets
from poolsite.api import lane
from poolsite.api.lifespan import lifespan
from poolsite.api.static import static_files
from poolsite.live.routing import missing_socket
from poolsite.live.routing import websocket_urlpatterns as live_sockets

application = ProtocolTypeRouter(
    {
        "http": lane.application(static_files(django_application)),
        "websocket": URLRouter([*live_sockets, *numbers_sockets, re_path("", missing_socket)]),
        "lifespan": lifespan,
    }
)
