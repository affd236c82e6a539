"""A request's body is taken in whole, or refused with a sentence; it is given up when it comes too slowly."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from annotation_platform.server import bodies
from annotation_platform.server.bodies import GoneError, RefusedError, pass_over, take_in
from tests.server import run_apart


def receive_from(*messages: Any) -> Any:
    """What an ASGI server would hand over; a number is a pause in seconds before what follows."""
    rest: Iterator[Any] = iter(messages)

    async def receive() -> dict[str, Any]:
        message = next(rest, None)
        while isinstance(message, float):
            await asyncio.sleep(message)
            message = next(rest, None)
        if message is None:
            await asyncio.sleep(3600)
        return message  # type: ignore[return-value]

    return receive


def part(body: bytes, *, more: bool = True) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def taken(*messages: Any, announced: int | None = None, most: int = 1000) -> bytes:
    async def run() -> bytes:
        body, length = await take_in(receive_from(*messages), announced=announced, most=most)
        with body:
            content = body.read()
        assert len(content) == length
        return content

    return run_apart(run())


def test_the_parts_of_a_body_are_put_together() -> None:
    assert taken(part(b"one "), part(b"two", more=False), announced=7) == b"one two"
    assert taken(part(b"", more=False)) == b""


def test_a_large_body_waits_in_a_file_and_is_whole() -> None:
    chunk = b"x" * 100_000
    assert taken(*[part(chunk)] * 5, part(b"end", more=False), most=10**6) == chunk * 5 + b"end"


@pytest.mark.parametrize("announced", [1001, None])
def test_more_than_the_limit_is_refused_announced_or_not(announced: int | None) -> None:
    with pytest.raises(RefusedError) as refused:
        taken(*[part(b"x" * 600)] * 2, announced=announced)
    assert refused.value.status == 413


def test_an_announced_excess_is_refused_before_anything_is_read() -> None:
    with pytest.raises(RefusedError):
        taken(announced=10**9)  # nothing ever comes


def test_a_body_that_trickles_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 0.1)
    with pytest.raises(RefusedError) as refused:
        taken(*[0.03, part(b"x")] * 100, announced=100)
    assert refused.value.status == 408
    assert "nothing of it was kept" in str(refused.value)


def test_a_body_that_comes_at_a_fair_speed_may_take_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "GRACE_SECONDS", 1.0)
    slowly = [0.12, part(b"x" * 1000)] * 10  # longer than the grace, at eight times the least speed
    assert len(taken(*slowly, part(b"", more=False), most=20_000)) == 10_000


def test_a_client_that_hangs_up_is_not_answered() -> None:
    with pytest.raises(GoneError):
        taken(part(b"some"), {"type": "http.disconnect"}, announced=10)


def passed_over(*messages: Any) -> int:
    """How many of the messages are taken in of a body that was refused."""
    rest = [*messages]

    async def receive() -> dict[str, Any]:
        if not rest:
            await asyncio.sleep(3600)
        message: dict[str, Any] = rest.pop(0)
        return message

    run_apart(pass_over(receive))
    return len(messages) - len(rest)


def test_what_still_comes_of_a_refused_body_is_passed_over_so_that_its_sender_reads_why() -> None:
    assert passed_over(part(b"x"), part(b"x"), part(b"x", more=False), part(b"next")) == 3
    assert passed_over(part(b"x"), {"type": "http.disconnect"}, part(b"x")) == 2


def test_that_ends_after_so_many_bytes_or_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "PASSED_OVER_BYTES", 1_000)
    assert passed_over(*[part(b"x" * 400)] * 10) == 3
    monkeypatch.setattr(bodies, "PASSED_OVER_SECONDS", 0.05)
    assert passed_over(part(b"x")) == 1
