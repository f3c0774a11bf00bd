"""The private Redis really starts and really ends."""

import pytest

from poolsite.runtime.redis_server import RedisServer

pytestmark = pytest.mark.processes


def test_a_private_server_answers_and_keeps_its_data_over_a_kill(tmp_path):
    server = RedisServer(tmp_path, appendfsync="always").start()
    try:
        with server.client() as client:
            client.set("kept", "yes")
        server.kill()
        server.start()
        with server.client() as client:
            assert client.get("kept") == "yes"
    finally:
        server.stop()
