"""The APIs by which Langfuse, Phoenix and LangSmith take scores, on one real socket, and with moods that servers have.

What is needed where, and what is answered, is as their documentation and clients say: Langfuse's ``CreateScoreRequest``
under Basic authentication, Phoenix's span annotations with ``sync=true`` (404 for a span that is not there), and the
feedback of LangSmith (409 for an id that is there, four decimal places at most).
"""

import base64
import json
import re
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from tests.servers.threaded import Threaded

PUBLIC, SECRET = "pk-lf-test", "sk-of-a-score-taker"


class ScoreTakers(Threaded):
    """Use as a context manager. ``moods`` holds what the next requests meet: a status, (429, Retry-After), ``cut``, or
    ``silent``. ``scores`` has what each program keeps, by its key there; ``unknown`` spans are in none of them."""

    def __init__(self) -> None:
        self.moods: deque[Any] = deque()
        self.requests: list[tuple[str, str, Any]] = []
        self.scores: dict[str, dict[str, Any]] = {"langfuse": {}, "phoenix": {}, "langsmith": {}}
        self.unknown: set[str] = set()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None: ...

            def _do(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer._handle(self, json.loads(body))

            do_POST = do_PATCH = _do

        super().__init__(Handler, ThreadingHTTPServer)

    def _handle(self, request: BaseHTTPRequestHandler, body: Any) -> None:
        self.requests.append((request.command, request.path, body))
        mood = self.moods.popleft() if self.moods else None
        if mood == "cut":
            request.close_connection = True
        elif mood == "silent":
            self.over.wait(10)
        elif isinstance(mood, tuple):
            self._reply(request, mood[0], {"error": "slow down"}, {"Retry-After": str(mood[1])})
        elif mood is not None:
            self._reply(request, mood, {"error": "out of order"})
        else:
            self._reply(request, *self._take(request, urlsplit(request.path), body))

    def _take(self, request: BaseHTTPRequestHandler, parts: Any, body: Any) -> tuple[int, Any]:
        headers = request.headers
        match (request.command, parts.path):
            case ("POST", "/api/public/scores"):
                pair = base64.b64encode(f"{PUBLIC}:{SECRET}".encode()).decode()
                is_known = headers["Authorization"] == f"Basic {pair}"
                return self._langfuse(body) if is_known else (401, {"message": "Invalid credentials"})
            case ("POST", "/v1/span_annotations"):
                is_known = headers["Authorization"] == f"Bearer {SECRET}"
                return self._phoenix(parts.query, body) if is_known else (401, "Invalid token")
            case (_, path) if path.startswith("/api/v1/feedback"):
                if headers["X-API-Key"] != SECRET:
                    return 403, {"detail": "Forbidden"}
                return self._langsmith(request.command, path.removeprefix("/api/v1/feedback").strip("/"), body)
        return 404, {"error": "not found"}

    def _langfuse(self, body: Any) -> tuple[int, Any]:
        if not body.get("traceId") or not body.get("name") or body.get("dataType") not in ("NUMERIC", "CATEGORICAL"):
            return 400, {"message": "Invalid request data", "error": [{"path": ["traceId"]}]}
        if isinstance(body["value"], str) != (body["dataType"] == "CATEGORICAL"):
            return 400, {"message": "Invalid value"}
        self.scores["langfuse"][body["id"]] = body
        return 200, {"id": body["id"]}

    def _phoenix(self, query: str, body: Any) -> tuple[int, Any]:
        ids = []
        for each in body["data"]:
            if not re.fullmatch("[0-9a-f]{16}", each["span_id"]) or each["annotator_kind"] not in (
                "LLM",
                "CODE",
                "HUMAN",
            ):
                return 422, {"detail": "Invalid"}
            if query == "sync=true" and each["span_id"] in self.unknown:
                return 404, f"Spans with IDs {each['span_id']} do not exist."
            if not set(each["result"]) <= {"score", "label", "explanation"}:
                return 422, {"detail": "Invalid result"}
            key = f"{each['span_id']}/{each['name']}/{each['identifier']}"
            self.scores["phoenix"][key] = each
            ids.append({"id": key})
        return 200, {"data": ids}

    def _langsmith(self, method: str, key: str, body: Any) -> tuple[int, Any]:
        kept = self.scores["langsmith"]
        if (score := body.get("score")) is not None and round(score, 4) != score:
            return 422, {"detail": "score has more than 4 decimal places"}
        if method == "PATCH":
            if key not in kept:
                return 404, {"detail": "Feedback not found"}
            kept[key] |= body
            return 200, kept[key]
        UUID(body["id"]), UUID(body["run_id"])
        if body["id"] in kept:
            return 409, {"detail": "Feedback already exists"}
        kept[body["id"]] = body
        return 200, body

    def _reply(
        self, request: BaseHTTPRequestHandler, status: int, said: Any, headers: dict[str, str] | None = None
    ) -> None:
        content = json.dumps(said).encode()
        request.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)
