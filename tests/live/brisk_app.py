"""The whole site as a server process runs it, asking for presence each second.

Tests of who has vanished wait less.
"""

from poolsite.asgi import application as application
from poolsite.live import socket

socket.BEAT_SECONDS = 1.0
