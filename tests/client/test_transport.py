"""What is tried again, and what is not: against servers that break off, are busy, or are not there."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from annotation_client import BrokenError, BusyError, UnreachableError
from annotation_client._sync import transport as blocking
from annotation_client._sync.platform import REFUSED
from annotation_client._sync.transport import Transport
from annotation_client.sending import body_of, scheme_of
from annotation_client.tables import columns_of

from tests.servers.receiver import Receiver


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        server.says = b'{"fine": true}'
        yield server


@pytest.fixture
def transport(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Transport]:
    monkeypatch.setattr(blocking, "PAUSES", (0.01, 0.02))
    transport = Transport(f"http://127.0.0.1:{receiver.port}", "ap_12345678_x")
    yield transport
    transport.close()


@pytest.mark.parametrize("mood", ["cut", 503, 429, 500])
def test_a_post_is_sent_again_with_the_same_key(mood: Any, receiver: Receiver, transport: Transport) -> None:
    receiver.moods.extend([mood, 200])
    assert transport.post("/studies", {"name": "Owls"}) == {"fine": True}
    first, second = (headers["idempotency-key"] for headers, _ in receiver.received)
    assert first == second
    receiver.moods.append(200)
    transport.post("/studies", {"name": "Owls"})
    assert receiver.received[2][0]["idempotency-key"] != first


def test_a_change_that_may_have_been_made_is_not_sent_again(receiver: Receiver, transport: Transport) -> None:
    receiver.moods.extend(["cut", 200])
    with pytest.raises(UnreachableError):
        transport.ask("PATCH", "/studies/owls", json={})
    assert len(receiver.received) == 1


@pytest.mark.parametrize(("mood", "error"), [("cut", UnreachableError), (503, BusyError), (502, BrokenError)])
def test_in_the_end_it_is_told(mood: Any, error: type[Exception], receiver: Receiver, transport: Transport) -> None:
    receiver.moods.extend([mood] * 3)
    with pytest.raises(error):
        transport.get("/studies")
    assert len(receiver.received) == 3


def test_a_token_goes_to_its_platform_only(receiver: Receiver, transport: Transport) -> None:
    assert transport.address("https://elsewhere.example/api/v1/jobs/run-1") == f"{transport.url}/api/v1/jobs/run-1"


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "PAUSES", (0.01,))
    with Receiver() as gone:
        address = f"http://127.0.0.1:{gone.port}"
    with pytest.raises(UnreachableError, match="cannot be reached"):
        Transport(address, "ap_x").get("/studies")


def test_rows_from_what_people_have(tmp_path: Any) -> None:
    import pandas
    import polars
    import pyarrow

    rows = [{"question": "Why?", "answer": "So.", "system": None}, {"question": "猫?", "answer": "b", "system": "m"}]
    expected = (
        b'{"question": "Why?", "answer": "So."}\n' + '{"question": "猫?", "answer": "b", "system": "m"}\n'.encode()
    )
    assert body_of(rows).content == expected
    assert body_of(iter(rows)).content == expected
    assert body_of(pandas.DataFrame(rows)).content == expected
    assert body_of(polars.DataFrame(rows)).content == expected
    assert body_of(pyarrow.Table.from_pylist(rows)).content == expected
    file = tmp_path / "rows.csv"
    file.write_text("question,answer\nWhy?,So.\n")
    assert body_of(file) == (file.read_bytes(), "text/csv")
    for nothing in ([], tmp_path / "rows.txt"):
        with pytest.raises(ValueError, match="row"):
            body_of(nothing)


def test_a_scheme_is_a_preset_a_file_or_a_definition(tmp_path: Any) -> None:
    file = tmp_path / "own.yaml"
    file.write_text("key: own")
    assert scheme_of("ebr") == {"preset": "ebr"}
    assert scheme_of(file) == scheme_of(str(file)) == {"text": "key: own"}
    assert scheme_of({"key": "own"}) == {"definition": {"key": "own"}}


def test_an_aspect_that_is_called_as_a_field_keeps_apart() -> None:
    columns = columns_of([{"id": 1, "values": {"id": "yes", "why": "x"}}, {"id": 2, "values": {}}])
    assert columns == {"id": [1, 2], "values.id": ["yes", None], "why": ["x", None]}


def test_only_a_line_feed_ends_a_line(receiver: Receiver, transport: Transport) -> None:
    """Texts may hold what Python's ``splitlines`` takes for the end of a line."""
    texts = ["a\u2028b", "c\x85d\u2029", "梟 e", "f" * 200_000]
    receiver.says = "\n".join(f'{{"text": "{text}"}}' for text in texts).encode() + b"\n\n"
    receiver.moods.extend([200, 200])
    assert [row["text"] for row in transport.lines("/judgments")] == texts
    receiver.says = receiver.says.rstrip(b"\n")
    assert [row["text"] for row in transport.lines("/judgments")] == texts


def test_what_is_still_at_work_is_waited_for(
    receiver: Receiver, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a study of 100,000 rows: its first answer is lost after a minute, and it is made for some more."""
    fine, at_work = receiver.says, b'{"code": "api.key_in_flight"}'

    def is_made() -> None:
        receiver.says = fine if len(receiver.received) == 9 else at_work

    receiver.on_message = is_made
    receiver.moods.extend(["cut", *[409] * 7, 200])
    assert transport.post("/studies", {"name": "Owls"}) == {"fine": True}
    assert len({headers["idempotency-key"] for headers, _ in receiver.received}) == 1

    monkeypatch.setattr(blocking, "LONGEST_WORK", 0.0)
    receiver.moods.extend([409])
    with pytest.raises(BusyError) as told:
        transport.post("/studies", {"name": "Owls"})
    assert not isinstance(told.value, REFUSED), "nothing of it is taken back"


def test_a_token_is_told_to_nobody_else(receiver: Receiver) -> None:
    """As it comes from a file, with a line feed; or from a page, with letters that look like its own."""
    receiver.moods.append(200)
    transport = Transport(f"http://127.0.0.1:{receiver.port}", " ap_12345678_x\n")
    assert transport.get("/studies") == {"fine": True}
    assert receiver.received[0][0]["authorization"] == "Bearer ap_12345678_x"
    for wrong in ("ap_1234\n5678_x", "ａｐ_12345678_x"):
        with pytest.raises(ValueError, match="Copy it once more") as told:
            Transport("https://annotate.example.org", wrong)
        assert "5678" not in str(told.value)


def test_an_address_without_its_beginning_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocking, "PAUSES", (60.0,))
    with pytest.raises(UnreachableError, match="is no address"):
        Transport("annotate.example.org", "ap_x").get("/studies")


@pytest.mark.parametrize("mood", ["cut", 503, 429, 502])
def test_a_stream_is_asked_for_again_before_it_has_begun(mood: Any, receiver: Receiver, transport: Transport) -> None:
    receiver.moods.extend([mood, 200])
    assert list(transport.lines("/judgments")) == [{"fine": True}]
    receiver.moods.extend([mood] * 3)
    with pytest.raises((UnreachableError, BusyError, BrokenError)):
        list(transport.lines("/judgments"))
    assert len(receiver.received) == 5


def test_streams_and_downloads_wait_as_long_as_they_are_told(
    receiver: Receiver, transport: Transport, tmp_path: Any
) -> None:
    receiver.headers = "Retry-After: 1\r\n"
    for take in (lambda: list(transport.lines("/items")), lambda: transport.download("/file", tmp_path / "file")):
        receiver.moods.extend([429, 200])
        begun = time.monotonic()
        take()
        assert time.monotonic() - begun >= 1


@pytest.mark.parametrize("kind", ["", "Content-Type: \r\n"])
def test_an_answer_that_says_nothing_is_the_platforms_too(kind: str, receiver: Receiver, transport: Transport) -> None:
    receiver.says, receiver.headers = b"", kind
    receiver.moods.append(204)
    assert transport.ask("POST", "/work/owls/leave").status_code == 204


def test_somebody_else_at_the_address_is_told(receiver: Receiver, transport: Transport, tmp_path: Any) -> None:
    """The page of a hotel's network, another server, or the same one without its “s”."""
    receiver.says, receiver.headers = b"<html>Sign in</html>", "Content-Type: text/html\r\n"
    receiver.moods.extend([200, 200, 200])
    file = tmp_path / "chart.svg"
    asks = (lambda: transport.get("/studies"), lambda: transport.download("/charts/a", file))
    for ask in (*asks, lambda: list(transport.lines("/items"))):
        with pytest.raises(UnreachableError, match="answers with text/html"):
            ask()
    assert not file.exists()
    receiver.location = "https://annotate.example.org/"
    receiver.moods.extend([301, 301])
    for ask in asks:
        with pytest.raises(UnreachableError, match=r"leads to https://annotate\.example\.org/"):
            ask()
