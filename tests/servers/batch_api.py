"""The Batch API of the local model server: files, batches that take a while, output and error files."""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email import message_from_bytes
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Batches:
    """What the server keeps. ``answer`` gives (status, body) for one request of a batch.

    A batch is under way until ``hold`` is lifted. Prompts in ``drops`` get no answer this time, in no file. After
    :meth:`fall_silent_after` the server does the next thing of that kind that it is asked, tells nobody, and sets
    ``is_silent``; :meth:`speak` ends that.
    """

    answer: Callable[[dict[str, Any]], tuple[int, Any]]
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    hold: bool = False
    loses_answers: bool = False
    lists_files: bool = True
    refuses_batches: int = 0  # with this status
    drips: float = 0.0  # seconds before each byte of a response; 0: all come at once
    drops: set[str] = field(default_factory=set)
    uploads: dict[str, str] = field(default_factory=dict)
    is_silent: threading.Event = field(default_factory=threading.Event)
    _silent_after: str = ""
    _speaks: threading.Event = field(default_factory=threading.Event)

    def fall_silent_after(self, request: str) -> None:
        """``request`` is a pattern for method and path."""
        self.speak()
        self._silent_after, self._speaks = request, threading.Event()
        self.is_silent.clear()

    def speak(self) -> None:
        self._silent_after = ""
        self._speaks.set()

    def handle(self, method: str, address: str, headers: Any, body: bytes) -> tuple[int, bytes] | None:
        """The response to a request of this API; None when it is none of its, or nobody is told."""
        parts = urlsplit(address)
        response = self._respond(method, parts.path, dict(parse_qsl(parts.query)), headers, body)
        if self._silent_after and re.fullmatch(self._silent_after, f"{method} {parts.path}"):
            speaks = self._speaks
            self.is_silent.set()
            speaks.wait()
            return None
        return response

    def _respond(
        self, method: str, path: str, query: dict[str, str], headers: Any, body: bytes
    ) -> tuple[int, bytes] | None:
        if (method, path) == ("POST", "/v1/files"):
            return self._json(self._take_file(headers["Content-Type"], body))
        if (method, path) == ("GET", "/v1/files"):
            files = [{"id": name, "object": "file", "filename": title} for name, title in self.uploads.items()]
            return self._page(files, query) if self.lists_files else (404, b'{"error": "not found"}')
        if found := re.fullmatch(r"/v1/files/([\w-]+)/content", path):
            return 200, self.files[found[1]]
        if (method, path) == ("POST", "/v1/batches") and self.refuses_batches:
            return self.refuses_batches, b'{"error": {"message": "no batches now"}}'
        if (method, path) == ("POST", "/v1/batches"):
            batch = self._make(json.loads(body))
            return None if self.loses_answers else self._json(batch)
        if (method, path) == ("GET", "/v1/batches"):
            return self._page(list(self.batches.values()), query)
        if found := re.fullmatch(r"/v1/batches/([\w-]+)", path):
            return self._json(self._look(found[1]))
        return None

    def _page(self, rows: list[dict[str, Any]], query: dict[str, str]) -> tuple[int, bytes]:
        """The newest first, so many as are wanted after the one named."""
        newest = rows[::-1]
        first = next((n for n, row in enumerate(newest, start=1) if row["id"] == query.get("after")), 0)
        shown = newest[first : first + int(query.get("limit", 20))]
        more = first + len(shown) < len(newest)
        return self._json({"object": "list", "data": shown, "has_more": more})

    @staticmethod
    def _json(value: Any) -> tuple[int, bytes]:
        return 200, json.dumps(value).encode()

    def _take_file(self, content_type: str, body: bytes) -> dict[str, Any]:
        form = message_from_bytes(f"Content-Type: {content_type}\r\n\r\n".encode() + body)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.get_payload()}
        assert parts["purpose"].get_payload() == "batch"
        kept = self._keep(parts["file"].get_payload(decode=True))
        self.uploads[kept["id"]] = parts["file"].get_filename()
        return kept

    def _keep(self, content: bytes) -> dict[str, Any]:
        name = f"file-{len(self.files) + 1}"
        self.files[name] = content
        return {
            "id": name,
            "object": "file",
            "bytes": len(content),
            "created_at": 1,
            "filename": name,
            "purpose": "batch",
            "status": "processed",
        }

    def _make(self, wanted: dict[str, Any]) -> dict[str, Any]:
        name = f"batch-{len(self.batches) + 1}"
        self.batches[name] = {
            "id": name,
            "object": "batch",
            "status": "in_progress",
            "created_at": int(time.time()),
            **wanted,
        }
        return self.batches[name]

    def _look(self, name: str) -> dict[str, Any]:
        batch = self.batches[name]
        if batch["status"] == "in_progress" and not self.hold:
            self._finish(batch)
        return batch

    def _finish(self, batch: dict[str, Any]) -> None:
        output, errors = [], []
        for text in self.files[batch["input_file_id"]].decode().split("\n"):
            request = json.loads(text)
            if request["body"]["messages"][-1]["content"] in self.drops:
                continue
            status, body = self.answer(request["body"])
            line = {
                "id": f"r-{request['custom_id'][:8]}",
                "custom_id": request["custom_id"],
                "response": {"status_code": status, "request_id": "r", "body": body},
                "error": None,
            }
            (output if status == 200 else errors).append(json.dumps(line))
        batch["status"] = "completed"
        if output:
            batch["output_file_id"] = self._keep("\n".join(output).encode())["id"]
        if errors:
            batch["error_file_id"] = self._keep("\n".join(errors).encode())["id"]
