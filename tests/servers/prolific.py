"""Prolific's REST API on a real socket, as far as the platform speaks it, and with the moods that servers have."""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.servers.threaded import Threaded

TOKEN = "a-token-of-prolific"
ROOT = "/api/v1"
KEYS_PATH = "/.well-known/study/jwks.json"
STUDY_FIELDS = (
    *("name", "description", "external_study_url", "prolific_id_option", "completion_codes"),
    *("total_available_places", "estimated_completion_time", "reward", "device_compatibility"),
)
FEES = 1.4  # bonuses with fees and taxes


class ProlificServer(Threaded):
    """Use as a context manager. ``moods`` holds, for the next requests that match a pattern, what goes wrong.

    ``busy`` answers 429 with Retry-After; ``broken`` 502; ``cut`` does what it was asked and hangs up in the middle of
    the reply; ``silent`` does it and says nothing; ``drips`` does it and answers a letter at a time, without an end, as
    does ``drips_body`` after the headers; ``refuses`` answers 400 and does nothing; ``says …`` does it and
    answers with those words; ``held`` does it, calls ``on_held`` and answers when ``released`` is set.
    """

    root = ROOT

    def __init__(self) -> None:
        self.submissions: dict[str, dict[str, Any]] = {}
        self.bulk: dict[str, list[tuple[str, int]]] = {}
        self.paid: list[tuple[str, int]] = []  # every payment that moved money: (submission, minor units)
        self.requests: list[tuple[str, str, Any]] = []
        self.moods: deque[tuple[str, str]] = deque()
        self.released = threading.Event()
        self.on_held: Callable[[], object] = lambda: None
        self.retry_after = "7"
        self.page_size = 20
        self.words_of_refusal = "not in this study"
        self.studies: dict[str, dict[str, Any]] = {}
        self.kid = "first"
        self.misreads = False  # takes amounts for a hundred times as much
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None: ...

            def do_GET(self) -> None:
                outer._handle(self, None)

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer._handle(self, json.loads(body) if body else None)

        super().__init__(Handler, ThreadingHTTPServer)

    def add(self, session: str, study: str, person: str, status: str = "AWAITING REVIEW") -> None:
        """Somebody has a submission there."""
        self.submissions[session] = {
            "id": session,
            "study_id": study,
            "participant": person,
            "status": status,
            "bonus_payments": [],
        }

    def count(self, pattern: str) -> int:
        """How many requests of this kind came."""
        return sum(bool(re.search(pattern, f"{method} {path}")) for method, path, _ in self.requests)

    def _handle(self, request: BaseHTTPRequestHandler, body: Any) -> None:
        parts = urlsplit(request.path)
        path = parts.path.removeprefix(ROOT)
        self.requests.append((request.command, path, body))
        mood = ""
        if self.moods and re.search(self.moods[0][0], f"{request.command} {path}"):
            mood = self.moods.popleft()[1]
        if parts.path == KEYS_PATH and (not mood or mood.startswith("says ")):
            keys = {"keys": [self._public_key()]}
            self._reply(request, 200, mood.removeprefix("says ").encode() if mood else keys)
        elif mood == "busy":
            self._reply(request, 429, {"error": "slow down"}, **{"Retry-After": self.retry_after})
        elif mood == "broken":
            self._reply(request, 502, {"error": "bad gateway"})
        elif mood == "refuses":
            self._reply(request, 400, {"error": {"title": "Bad bonus", "detail": self.words_of_refusal}})
        elif request.headers["Authorization"] != f"Token {TOKEN}":
            self._reply(request, 401, {"error": {"title": "Authentication failed"}})
        else:
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            status, said = self._do(request.command, path, query, body)
            if mood == "held":
                self.on_held()
                self.released.wait(60)
            if mood == "silent":
                self.over.wait(60)
            elif mood in ("drips", "drips_body"):
                self._drip(request, with_headers=mood == "drips_body")
            elif mood.startswith("says "):
                self._reply(request, status, mood.removeprefix("says ").encode())
            elif mood == "cut":
                request.send_response(status)
                request.send_header("Content-Length", "1000")
                request.end_headers()
                request.wfile.write(b'{"id":')
                request.close_connection = True
            else:
                self._reply(request, status, said)

    def _drip(self, request: BaseHTTPRequestHandler, *, with_headers: bool) -> None:
        if with_headers:
            request.send_response(200)
            request.end_headers()
        else:
            request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        request.close_connection = True
        with suppress(OSError):
            while not self.over.wait(0.05):
                request.wfile.write(b"x")

    def _do(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        if (method, path) == ("GET", "/submissions/"):
            found = [one for one in self.submissions.values() if one["study_id"] == query["study"]]
            page = int(query.get("page", "1"))
            start, end = (page - 1) * self.page_size, page * self.page_size
            following = f"{self.url}/submissions/?page={page + 1}" if end < len(found) else None
            links = {"next": {"href": following}}
            return 200, {"results": found[start:end], "_links": links, "meta": {"count": len(found)}}
        if method == "POST" and (match := re.fullmatch(r"/submissions/([\w-]+)/transition/", path)):
            return self._transition(match[1], body)
        if (method, path) == ("POST", "/studies/"):
            return self._draft(body)
        if method == "POST" and (match := re.fullmatch(r"/studies/(\w+)/transition/", path)):
            return self._publish(match[1], body)
        if (method, path) == ("POST", "/submissions/bonus-payments/"):
            return self._set_up(body)
        if method == "POST" and (match := re.fullmatch(r"/bulk-bonus-payments/([\w-]+)/pay/", path)):
            for session, amount in self.bulk[match[1]]:  # as often as it is asked for
                self.paid.append((session, amount))
                self.submissions[session]["bonus_payments"].append(amount)
            return 202, {}
        return 404, {"error": "not found"}

    def _transition(self, session: str, body: Any) -> tuple[int, Any]:
        if session not in self.submissions:
            return 404, {"error": "no such submission"}
        if body["action"] == "REJECT" and (len(body.get("message", "")) < 100 or not body.get("rejection_category")):
            return 400, {"error": "message and rejection_category are required"}
        self.submissions[session]["status"] = {"APPROVE": "APPROVED", "REJECT": "REJECTED"}[body["action"]]
        return 200, self.submissions[session]

    def _draft(self, body: Any) -> tuple[int, Any]:
        if missing := [name for name in STUDY_FIELDS if not body.get(name)]:
            return 400, {"error": {"title": "Bad request", "detail": f"required: {missing}"}}
        codes = [each["code"] for each in body["completion_codes"]]
        if len(codes) != len(set(codes)) or not all(each["actions"] for each in body["completion_codes"]):
            return 400, {"error": {"title": "Bad request", "detail": "completion_codes"}}
        key = f"{len(self.studies) + 1:024x}"
        self.studies[key] = {"id": key, "status": "UNPUBLISHED", **body}
        return 201, self.studies[key]

    def _publish(self, key: str, body: Any) -> tuple[int, Any]:
        if key not in self.studies:
            return 404, {"error": "no such study"}
        if body["action"] != "PUBLISH" or self.studies[key]["status"] != "UNPUBLISHED":
            return 400, {"error": {"title": "Bad request", "detail": "the study is published"}}
        self.studies[key]["status"] = "ACTIVE"
        return 200, self.studies[key]

    def sign(self, told: dict[str, Any], *, audience: str = "http://testserver", seconds: int = 600) -> str:
        """A token as Prolific puts it into the address of a study with secure parameters."""
        claims = {
            "iss": "https://www.prolific.com",
            "aud": audience,
            "exp": int(time.time()) + seconds,
            "prolific": {"workspace_id": "w1", **told},
        }
        return jwt.encode(claims, self._key, algorithm="RS256", headers={"kid": self.kid})

    @cached_property
    def _key(self) -> rsa.RSAPrivateKey:
        return rsa.generate_private_key(public_exponent=65537, key_size=2048)

    def change_key(self, kid: str = "second") -> None:
        """Sign with another key from now on."""
        self.kid = kid
        self.__dict__.pop("_key", None)

    def _public_key(self) -> dict[str, Any]:
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {**public, "kid": self.kid, "alg": "RS256", "use": "sig"}

    def _set_up(self, body: Any) -> tuple[int, Any]:
        lines = []
        for line in body["csv_bonuses"].splitlines():
            session, amount = line.split(",")
            if session not in self.submissions or self.submissions[session]["study_id"] != body["study_id"]:
                return 400, {"error": f"{session} has not taken part"}
            lines.append((session, round(float(amount) * 100) * (100 if self.misreads else 1)))
        key = f"bulk{len(self.bulk) + 1}"
        self.bulk[key] = lines
        total = sum(amount for _, amount in lines)
        return 201, {"id": key, "study": body["study_id"], "amount": total, "total_amount": round(total * FEES)}

    def _reply(self, request: BaseHTTPRequestHandler, status: int, said: Any, **headers: str) -> None:
        content = said if isinstance(said, bytes) else json.dumps(said).encode()
        request.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(content)
