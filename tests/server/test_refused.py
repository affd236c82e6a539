"""Whoever sends more than is taken is told so: on a page, in their language, or as the API tells what is wrong."""

from typing import Any

import pytest
from django.test import Client

from annotation_platform.server.adapter import REFUSED, BufferedWsgi
from annotation_platform.server.bodies import too_large, too_slow
from tests.server import run_apart
from tests.server.test_adapter import scope

MOST = 6 * 1024 * 1024


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "This is more than 6 MB, the most that can be sent to this page"),
        ("ja", "このページに送れるのは6 MBまでです"),
    ],
)
def test_a_page_tells_the_limit_and_what_to_do(language: str, words: str) -> None:
    reply = Client(headers={"accept-language": language}).post("/imports/", **{REFUSED: too_large(MOST)})
    assert (reply.status_code, reply["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert words in reply.content.decode()


def test_a_page_that_took_too_long_says_that_nothing_was_kept() -> None:
    reply = Client().post("/nowhere/", **{REFUSED: too_slow()})
    assert reply.status_code == 408
    assert "nothing of it was kept" in reply.content.decode()


@pytest.mark.parametrize("path", ["/api/v1/corpora", "/api/v1/studies/owls/prolific/participants-files"])
def test_a_program_is_told_by_a_problem_with_a_code(path: str) -> None:
    reply = Client(headers={"accept-language": "ja"}).post(path, **{REFUSED: too_large(MOST)})
    told = reply.json()
    assert (reply.status_code, reply["Content-Type"]) == (413, "application/problem+json")
    assert (told["code"], told["parameters"], told["status"]) == ("api.body_too_large", {"most": MOST}, 413)
    assert "/api/v1/uploads" in told["detail"]
    assert "分割" in told["detail"]
    assert Client().post(path, **{REFUSED: too_slow()}).json()["code"] == "accounts.body_too_slow"


def test_a_header_of_that_name_refuses_nothing() -> None:
    assert Client(headers={"platform.refused": "1", "platform-refused": "1"}).get("/accounts/login/").status_code == 200


def test_the_application_gets_why_in_place_of_the_body_and_the_rest_is_passed_over() -> None:
    told: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []
    rest = [{"type": "http.request", "body": b"x" * 600, "more_body": more} for more in (True, True, False)]

    async def receive() -> dict[str, Any]:
        return rest.pop(0)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    def wsgi(environ: dict[str, Any], start: Any) -> Any:
        told.append(environ | {"read": environ["wsgi.input"].read()})
        start("413 Too large", [])
        return [b"why"]

    run_apart(BufferedWsgi(wsgi, threads=1, most=1000, upload_limit=lambda *_: 0)(scope(method="POST"), receive, send))
    assert (told[0]["read"], told[0]["CONTENT_LENGTH"], told[0][REFUSED].most) == (b"", "0", 1000)
    assert (sent[0]["status"], sent[0]["headers"], sent[1]["body"]) == (413, [(b"connection", b"close")], b"why")
    assert rest == []
