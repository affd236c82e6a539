"""Run as a program: serve the platform on a free port, which it prints, with a thread for each request.

With ``--stop-at-work`` a request that has an Idempotency-Key comes no further than that: it is told, and waits.
"""

import sys
import time
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django

django.setup()

from django.db import connections  # noqa: E402

from annotation_platform.api.frame import keeping  # noqa: E402
from annotation_platform.wsgi import application  # noqa: E402

begin = keeping.begin


def begin_and_wait(*given: Any, **named: Any) -> Any:
    key = begin(*given, **named)
    print("at work", flush=True)
    time.sleep(600)
    return key


if "--stop-at-work" in sys.argv:
    keeping.begin = begin_and_wait


class Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Connections to the database belong to a thread; those of one that ends would stay open for minutes."""
        super().process_request_thread(request, client_address)
        connections.close_all()


class Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are told by whoever sends them."""


with make_server("127.0.0.1", 0, application, Server, Quiet) as server:
    print(server.server_address[1], flush=True)
    server.serve_forever()
