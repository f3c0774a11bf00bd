"""The web application: hot routes and static files, websockets, and Django for all other requests.

Only settings, urls and this module name apps. The apps provide their hot routes and sockets.
"""

import gc
import os
from typing import Any

import poolsite  # noqa: F401  first: see poolsite/__init__.py

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "poolsite.settings")

from django.core.asgi import get_asgi_application

from poolsite import tracing
from poolsite.runtime import startup

startup.verify()  # refuses an unsafe start before anything listens
tracing.start("web")
django_application: Any = get_asgi_application()  # its types are asgiref's, not Starlette's

from channels.routing import ProtocolTypeRouter, URLRouter

from billing.api import hot as billing_hot
from billing.consumers import websocket_urlpatterns as billing_sockets
from numbers.api import hot as numbers_hot
from numbers.consumers import websocket_urlpatterns as numbers_sockets
from poolsite.api import lane, shutdown
from poolsite.api.bodies import bounded_bodies
from poolsite.api.guard import guarded, guarded_sockets
from poolsite.api.lifespan import lifespan
from poolsite.api.measuring import measured_requests, measured_sockets
from poolsite.api.static import static_files
from poolsite.api.tracing import traced_requests
from poolsite.live.routing import missing_socket, socket
from poolsite.live.routing import websocket_urlpatterns as live_sockets
from poolsite.operations import watch
from queueing.admission.api import hot as admission_hot
from queueing.dispatch.consumers import websocket_urlpatterns as dispatch_sockets
from queueing.line.api import hot as line_hot

for hot in (numbers_hot, billing_hot, line_hot, admission_hot):
    hot.register()

sockets = [
    *live_sockets,
    *numbers_sockets,
    *billing_sockets,
    *dispatch_sockets,
    socket("", missing_socket),
]
pages = static_files(bounded_bodies(django_application))
pages_and_api = lane.application(pages)
application = ProtocolTypeRouter(
    {
        "http": traced_requests(measured_requests(guarded(pages_and_api))),
        "websocket": measured_sockets(shutdown.drain.sockets(guarded_sockets(URLRouter(sockets)))),
        "lifespan": lifespan,
    }
)

watch.start()

# Loaded objects stay, so the garbage collector need not scan them again and again. See also its
# threshold in settings/site.py. (Measured with 1,000 live sockets and 5,000 events/s: collections
# took a fifth of the process's time.)
gc.collect()
gc.freeze()
