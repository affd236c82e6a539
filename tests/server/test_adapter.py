"""What Django gets of a request, and what becomes of its response."""

import io
from collections.abc import Iterator
from typing import Any

import pytest

from annotation_platform.server.adapter import AT_ONCE, BufferedWsgi, environ_of
from tests.server import run_apart


def scope(*headers: tuple[bytes, bytes], path: str = "/", method: str = "GET") -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": b"a=%20b",
        "headers": list(headers),
        "http_version": "1.1",
        "scheme": "http",
        "server": ("127.0.0.1", 8000),
        "client": ("127.0.0.1", 50000),
    }


def test_paths_of_any_script_headers_and_cookies_arrive_as_the_standard_says() -> None:
    headers = [(b"cookie", b"a=1"), (b"cookie", b"b=2"), (b"accept", b"x"), (b"accept", b"y"), (b"content-type", b"t")]
    environ = environ_of(scope(*headers, path="/名/"), io.BytesIO(b"body"), 4)
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/名/"
    assert (environ["HTTP_COOKIE"], environ["HTTP_ACCEPT"]) == ("a=1; b=2", "x,y")
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"], environ["QUERY_STRING"]) == ("t", "4", "a=%20b")


def test_a_header_with_an_underscore_cannot_pass_for_the_proxys() -> None:
    environ = environ_of(scope((b"x_forwarded_proto", b"https")), io.BytesIO(), 0)
    assert "HTTP_X_FORWARDED_PROTO" not in environ


class Closing:
    """A response that notes what is asked of it."""

    def __init__(self, chunks: list[bytes]) -> None:
        self.given, self.closed, self._chunks = 0, 0, chunks

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._chunks:
            self.given += 1
            yield chunk

    def close(self) -> None:
        self.closed += 1


def answered(response: Any, *, hangs_up_after: int = 1000) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        if len(sent) == hangs_up_after:
            raise ConnectionError("the client is gone")
        sent.append(message)

    def wsgi(environ: dict[str, Any], start: Any) -> Any:
        start("200 OK", [("Content-Type", "text/plain")])
        return response

    run_apart(BufferedWsgi(wsgi, threads=1, most=1000, upload_limit=lambda *_: 0)(scope(), receive, send))
    return sent


def test_a_small_response_is_sent_at_once_and_closed() -> None:
    response = Closing([b"a", b"b"])
    start, body = answered(response)
    assert (start["status"], start["headers"]) == (200, [(b"content-type", b"text/plain")])
    assert body == {"type": "http.response.body", "body": b"ab", "more_body": False}
    assert response.closed == 1


def test_a_large_response_is_sent_in_parts_as_it_is_made() -> None:
    response = Closing([b"x" * AT_ONCE] * 3)
    _, *parts = answered(response)
    assert [len(each["body"]) for each in parts] == [AT_ONCE, AT_ONCE, AT_ONCE, 0]
    assert [each["more_body"] for each in parts] == [True, True, True, False]


def test_a_response_that_nobody_reads_any_more_is_ended() -> None:
    response = Closing([b"x" * AT_ONCE] * 100)
    with pytest.raises(ConnectionError):
        answered(response, hangs_up_after=3)
    assert response.given < 5
    assert response.closed == 1
