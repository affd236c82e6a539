"""Reads ``settings.json`` and ``records.json`` of this folder as a dataset of Argilla's own, and says what is in it."""

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from uuid import UUID

import argilla as rg
from argilla.records._io import JsonIO


class Me(BaseHTTPRequestHandler):
    """Answers who one is, which is all that the library asks."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps({"id": str(UUID(int=1, version=4)), "username": "wren", "role": "owner"}).encode())

    def log_message(self, *args: object) -> None: ...


server = HTTPServer(("127.0.0.1", 0), Me)
Thread(target=server.serve_forever, daemon=True).start()
rg.Argilla(api_url=f"http://127.0.0.1:{server.server_port}", api_key="any")
settings = rg.Settings.from_json("settings.json")
settings.validate()
(record,) = JsonIO._records_from_json("records.json")
print(*[question.name for question in settings.questions])
said = {each.question_name: each.value for each in record.responses if each.value not in (None, "")}
print(*[f"{name}={said[name]}" for name in ("fit", "share", "stars")])
