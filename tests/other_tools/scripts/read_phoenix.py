"""Reads spans by Phoenix's client from a server that gives those of a file, and writes them as they come."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from phoenix.client import Client

SPANS = [json.loads(line) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]


class Spans(BaseHTTPRequestHandler):
    """Answers as ``GET /v1/projects/default/spans`` does, all on one page."""

    def do_GET(self) -> None:
        body = json.dumps({"data": SPANS, "next_cursor": None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None: ...


server = ThreadingHTTPServer(("127.0.0.1", 0), Spans)
threading.Thread(target=server.serve_forever, daemon=True).start()
found = Client(base_url=f"http://127.0.0.1:{server.server_port}").spans.get_spans(project_identifier="default")
Path("spans.jsonl").write_text("".join(json.dumps(each, default=str) + "\n" for each in found), encoding="utf-8")
