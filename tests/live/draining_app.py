"""The whole site as a server process runs it; its drain stops for an hour after each socket."""

from poolsite.api import shutdown
from poolsite.asgi import application as application

shutdown.LONGEST_PAUSE_SECONDS = 3600.0
