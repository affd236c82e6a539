"""A small model server on a real socket that speaks the OpenAI protocol and misbehaves on demand."""

import json
import threading
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from tests.servers.batch_api import Batches

KEY = "sk-a-very-secret-key"


@dataclass(frozen=True)
class ModelRequest:
    """A request as it came over the wire."""

    path: str
    key: str
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][-1]["content"])


@dataclass(frozen=True)
class Answer:
    """What the server does with a request."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    after: float = 0.0
    drips: float = 0.0
    """Seconds before each further byte; 0: all come at once."""


Behaviour = Callable[[ModelRequest], Answer]


def says(
    text: str | list[dict[str, Any]] | None,
    *,
    after: float = 0.0,
    usage: dict[str, Any] | None = None,
    finish_reason: str = "stop",
    declined: str | None = None,
) -> Answer:
    """A well-formed chat completion; ``declined`` is the model's refusal, in the field that the protocol has for it."""
    message = {"role": "assistant", "content": text} | ({"refusal": declined} if declined else {})
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "tiny-2026",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": usage or {"prompt_tokens": 200, "completion_tokens": 10, "total_tokens": 210},
    }
    return Answer(body=json.dumps(data).encode(), after=after)


def fails(status: int, message: str = "", **headers: str) -> Answer:
    body = json.dumps({"error": {"message": message, "type": "error"}}).encode()
    return Answer(status=status, body=body, headers={name.replace("_", "-"): v for name, v in headers.items()})


class ModelServer:
    """Use as a context manager. The answers in ``queue`` come first; then ``behaviour`` decides.

    After :meth:`hold_after` (n) the n+1st and all further requests wait, unanswered, until :meth:`release` or
    :meth:`hang_up`. ``answered`` counts, for each prompt, how often it got an answer; ``most_under_way`` how many at
    a time waited for one. One that ``remembers`` knows Idempotency-Key: whoever comes again gets the answer of the
    first time; ``paid`` counts the others.
    """

    def __init__(self, behaviour: Behaviour | None = None) -> None:
        self.behaviour = behaviour or (lambda asked: says("Score: 60"))
        self.queue: deque[Answer] = deque()
        self.asked: list[ModelRequest] = []
        self.answered: Counter[str] = Counter()
        self.remembers, self.paid = False, Counter[str]()
        self._given: dict[str, Answer] = {}
        self.batch_api = Batches(self._answer_in_batch)
        self.under_way = self.most_under_way = 0
        self._lock = threading.Lock()
        self._answers_left: int | None = None
        self._open = threading.Event()
        self._open.set()
        self._hangs_up = False
        self._ended = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.hang_up()
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    def hold_after(self, answers: int) -> None:
        self._answers_left, self._hangs_up = answers, False
        self._open.clear()

    def release(self) -> None:
        """Answer those held back and all who come."""
        self._answers_left = None
        self._open.set()

    def hang_up(self) -> None:
        """Close on those held back, whose askers may be gone, without an answer; answer all who come."""
        self._hangs_up = True
        self.release()
        self.batch_api.speak()

    @property
    def prompts(self) -> list[str]:
        return [asked.prompt for asked in self.asked]

    def _answer(self, asked: ModelRequest, mark: str = "") -> Answer | None:
        with self._lock:
            self.asked.append(asked)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
            held = self._answers_left == 0
            if self._answers_left:
                self._answers_left -= 1
        if held:
            self._open.wait()
            if self._hangs_up:
                return None
        with self._lock:
            if self.remembers and mark in self._given:
                return self._given[mark]
            answer = self.queue.popleft() if self.queue else self.behaviour(asked)
            if answer.status == 200:
                self.paid[asked.prompt] += 1
                self._given[mark] = answer
            return answer

    def _answer_in_batch(self, body: dict[str, Any]) -> tuple[int, Any]:
        answer = self._answer(asked := ModelRequest("/v1/chat/completions", "", body))
        assert answer is not None
        if answer.status == 200:
            self.answered[asked.prompt] += 1
        return answer.status, json.loads(answer.body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._batch_api(b"")

            def _batch_api(self, content: bytes) -> None:
                response = server.batch_api.handle(self.command, self.path, self.headers, content)
                if response is None:
                    self.close_connection = True
                    return
                status, body = response
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(OSError):  # the client did not wait
                    self._write(body, server.batch_api.drips)

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path != "/v1/chat/completions":
                    self._batch_api(content)
                    return
                body = json.loads(content)
                asked = ModelRequest(self.path, self.headers.get("Authorization", "").removeprefix("Bearer "), body)
                answer = server._answer(asked, self.headers.get("Idempotency-Key", ""))
                if answer and answer.after:
                    threading.Event().wait(answer.after)
                with server._lock:
                    server.under_way -= 1  # before the asker can know
                if answer is None:
                    self.close_connection = True
                    return
                try:
                    self.send_response(answer.status)
                    for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(answer.body)))
                    self.end_headers()
                    self._write(answer.body, answer.drips)
                except OSError:
                    self.close_connection = True  # the client did not wait
                    return
                if answer.status == 200:
                    with server._lock:
                        server.answered[asked.prompt] += 1

            def _write(self, body: bytes, drips: float) -> None:
                """All at once, or byte by byte until nobody waits for it any more."""
                for part in [body[at : at + 1] for at in range(len(body))] if drips else [body]:
                    if drips and server._ended.wait(drips):
                        return
                    self.wfile.write(part)
                    self.wfile.flush()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler
