"""The whole site in a server process that asks for presence every second.

Tests of people who have vanished wait less with it.
"""

from poolsite.asgi import application as application
from poolsite.live import socket

socket.BEAT_SECONDS = 1.0
