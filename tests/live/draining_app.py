"""The whole site in a server process whose drain pauses for an hour after each socket."""

from poolsite.api import shutdown
from poolsite.asgi import application as application

shutdown.LONGEST_PAUSE_SECONDS = 3600.0
