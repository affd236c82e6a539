"""Run as a program: serve the platform on a free port, which it prints, with a thread for each request."""

from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django

django.setup()

from django.db import connections  # noqa: E402

from annotation_platform.wsgi import application  # noqa: E402


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
