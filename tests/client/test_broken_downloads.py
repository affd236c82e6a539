"""Files over a line that breaks: they go on where they were, also in another process, and are what was sent."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from annotation_client import Platform, Study, UnreachableError
from annotation_client._sync import transport as blocking
from annotation_client._sync.transport import Transport
from annotation_client.parts import Part

from tests.client.annotators import ScriptedAnnotator
from tests.client.conftest import Served
from tests.client.test_client import ROWS
from tests.factories import judgment
from tests.servers.cutting import CuttingLine
from tests.servers.receiver import Receiver
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")

MEGABYTE = 1_000_000


@pytest.fixture
def line(served: Served) -> Iterator[CuttingLine]:
    with CuttingLine(urlsplit(served.url).port or 80) as line:
        yield line


@pytest.fixture
def platform(served: Served, line: CuttingLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    monkeypatch.setattr(blocking, "PAUSES", (0.01, 0.02))
    with Platform(line.url, token=served.token) as platform:
        yield platform


@pytest.fixture(scope="module")
def released(served: Served) -> Study:
    """A study whose release has some megabytes that cannot be packed."""
    with Platform(served.url, token=served.token) as platform:
        rows = [{**row, "answer": os.urandom(300_000).hex()} for row in ROWS]
        study = platform.studies.create("Large release", scheme="ebr", items=rows, overlap=1)
        study.release()
        ScriptedAnnotator(study.invite(max_uses=1).link or "", "Wren", lambda _: judgment()).work(study.slug)
        study.close()
        made = study.freeze("All", authors=["Moor, Ada"], licence="CC-BY-4.0", progress=False, poll=0.1)
        study.settle(made.number, {each.id: "kept" for each in made.findings}, progress=False, poll=0.1)
        return study


def size_of(served: Served, study: Study) -> int:
    """Of the ZIP file, by what the answer to a range says."""
    headers = {"Authorization": f"Bearer {served.token}", "Range": "bytes=0-0"}
    reply = httpx2.get(f"{served.url}/api/v1/studies/{study.slug}/releases/1/file", headers=headers, timeout=60)
    assert reply.status_code == 206
    return int(reply.headers["Content-Range"].rpartition("/")[2])


def test_a_release_goes_on_where_it_broke_off(
    platform: Platform, served: Served, line: CuttingLine, released: Study, tmp_path: Path
) -> None:
    study = platform.studies.get(released.slug)
    line.down.extend([2 * MEGABYTE, MEGABYTE])
    platform._transport._client._transport.close()  # so that the next connection is one that is cut
    root = study.download_release(1, tmp_path)
    assert (root / "manifest.json").exists()
    assert not line.down
    assert line.got < size_of(served, released) + MEGABYTE
    assert [path.name for path in tmp_path.iterdir()] == [root.name]


def test_it_goes_on_in_another_process(served: Served, line: CuttingLine, released: Study, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "annotation_client", "download", released.slug, "1", "--folder", str(tmp_path)]
    environment = {"ANNOTATION_URL": line.url, "ANNOTATION_TOKEN": served.token, "PYTHONPATH": str(ROOT / "client/src")}
    line.silent_down_after = 2 * MEGABYTE
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    assert line.is_silent.wait(60)
    deadline = time.monotonic() + 60  # the client may be slower than the line: what it was sent is written in a while
    while sum(path.stat().st_size for path in tmp_path.glob("*.part")) <= MEGABYTE and time.monotonic() < deadline:
        time.sleep(0.05)
    first.send_signal(signal.SIGINT)
    _, said = first.communicate(timeout=60)
    assert (first.returncode, b"Traceback" in said) == (130, False)
    (part,) = tmp_path.glob("*.part")
    there = part.stat().st_size
    assert there > MEGABYTE
    line.silent_down_after, before = None, line.got
    second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert second.returncode == 0, second.stderr
    root = Path(second.stdout.strip())
    assert [path.name for path in tmp_path.iterdir()] == [root.name]
    assert line.got - before < size_of(served, released) - there + MEGABYTE


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as server:
        yield server


@pytest.fixture
def transport(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Iterator[Transport]:
    monkeypatch.setattr(blocking, "PAUSES", (0.01, 0.02))
    transport = Transport(f"http://127.0.0.1:{receiver.port}", "ap_12345678_x")
    yield transport
    transport.close()


def left(to: Path, came: bytes, tag: str) -> None:
    to.with_name(f"{to.name}.part").write_bytes(came)
    to.with_name(f"{to.name}.part.etag").write_text(tag)


def test_what_is_another_file_by_now_comes_whole(receiver: Receiver, transport: Transport, tmp_path: Path) -> None:
    to = tmp_path / "rows.csv"
    left(to, b"old", '"d1"')
    receiver.says, receiver.moods = b"new rows", receiver.moods
    receiver.moods.append(200)
    assert transport.download("/file", to).read_bytes() == b"new rows"
    headers = receiver.received[0][0]
    assert (headers["range"], headers["if-range"]) == ("bytes=3-", '"d1"')
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


def test_what_is_whole_already_is_not_sent_again(receiver: Receiver, transport: Transport, tmp_path: Path) -> None:
    to = tmp_path / "rows.csv"
    left(to, b"rows", '"d1"')
    receiver.headers = "Content-Range: bytes */4\r\n"
    receiver.moods.append(416)
    assert transport.download("/file", to).read_bytes() == b"rows"


def test_what_is_longer_than_the_file_is_forgotten(receiver: Receiver, transport: Transport, tmp_path: Path) -> None:
    to = tmp_path / "rows.csv"
    left(to, b"rows and more", '"d1"')
    receiver.headers, receiver.says = "Content-Range: bytes */4\r\n", b"rows"
    receiver.moods.extend([416, 200])
    assert transport.download("/file", to).read_bytes() == b"rows"
    assert "range" not in receiver.received[1][0]


def test_what_has_no_ranges_leaves_nothing_behind(receiver: Receiver, transport: Transport, tmp_path: Path) -> None:
    receiver.says = b"rows"
    receiver.moods.extend(["drips_body", "cut", "cut"])
    receiver.over.set()  # the body ends after a few bytes
    with pytest.raises(UnreachableError, match="The connection broke"):
        transport.download("/file", tmp_path / "rows.csv")
    assert list(tmp_path.iterdir()) == []


def test_two_programs_do_not_write_to_one_file(tmp_path: Path) -> None:
    to = tmp_path / "rows.csv"
    with Part(to), pytest.raises(OSError, match="is being written by another program"):
        Part(to)
