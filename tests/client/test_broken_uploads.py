"""Large files over a line that breaks: they go on where they were, also in another process."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from annotation_client import NotAcceptedError, Platform, UnreachableError
from annotation_client._sync import uploads as blocking
from annotation_client.models import Corpus
from annotation_client.verify import sha256_of

from tests.client.conftest import Served
from tests.servers.cutting import CuttingLine
from tests.workers.installation import ROOT

pytestmark = pytest.mark.xdist_group("client")

MEGABYTE = 1_000_000
PART = 4 * 1024 * 1024


@pytest.fixture
def line(served: Served) -> Iterator[CuttingLine]:
    with CuttingLine(urlsplit(served.url).port or 80) as line:
        yield line


@pytest.fixture
def platform(served: Served, line: CuttingLine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    monkeypatch.setattr(blocking, "PAUSES", (0.01, 0.02))
    with Platform(line.url, token=served.token) as platform:
        yield platform
        for each in platform.imports.uploads():
            platform.imports.forget_upload(each.id)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A little more than three parts."""
    path = tmp_path / "large.csv"
    rows = "".join(f"Q{n}?,Ada,{'x' * 1000},alder\n" for n in range(13_000))
    path.write_text(f"question,reference,answer,system\n{rows}")
    return path


def test_what_breaks_off_is_sent_again_from_where_it_was(platform: Platform, line: CuttingLine, table: Path) -> None:
    line.up.extend([PART + MEGABYTE, MEGABYTE // 2, 2 * PART])
    seen: list[tuple[int, int]] = []
    sent = platform.imports.send(table, progress=lambda done, total: seen.append((done, total)), target="corpus")
    size = table.stat().st_size
    assert sent.record.files == [{"name": "large.csv", "size": size}]
    assert [done for done, _ in seen] == [0, PART, 2 * PART, 3 * PART, size]
    assert line.sent < size + 3 * PART, "a part at most for each cut"
    assert platform.imports.uploads() == []
    sent.change(columns={"reference": "reference_answers"}, scheme="equivalence")
    assert isinstance(sent.store(progress=False, poll=0.1), Corpus)


def test_when_the_answer_is_lost_the_part_is_not_sent_twice(
    platform: Platform, served: Served, line: CuttingLine, table: Path
) -> None:
    size = table.stat().st_size
    platform._transport.post("/uploads", {"name": table.name, "size": size, "sha256": sha256_of(table)})
    line.down.append(line.got + 100)  # it ends in the answer to the first part
    before = line.sent
    with Platform(line.url, token=served.token) as other:
        other.imports.send(table, progress=False).give_up()
    assert not line.down
    assert line.sent - before < size + MEGABYTE


def test_it_is_told_when_nothing_comes_through_and_goes_on_when_called_again(
    platform: Platform, line: CuttingLine, table: Path
) -> None:
    line.up.extend([PART + MEGABYTE, *[MEGABYTE] * 2])
    with pytest.raises(UnreachableError):
        platform.imports.send(table, progress=False)
    (waiting,) = platform.imports.uploads()
    assert waiting.offset == PART
    before = line.sent
    platform.imports.send(table, progress=False).give_up()
    assert line.sent - before < table.stat().st_size - PART + MEGABYTE


def test_a_file_that_was_changed_meanwhile_is_refused(platform: Platform, line: CuttingLine, table: Path) -> None:
    def change(done: int, total: int) -> None:
        if done == PART:
            table.write_bytes(table.read_bytes().replace(b"alder", b"birch"))

    with pytest.raises(NotAcceptedError, match="send it anew"):
        platform.imports.send(table, progress=change)
    assert platform.imports.uploads() == []


def test_a_command_that_is_interrupted_goes_on_where_it_was(
    platform: Platform, served: Served, line: CuttingLine, table: Path
) -> None:
    command = [sys.executable, "-m", "annotation_client", "import", str(table), "--corpus", "--name", "Interrupted"]
    command += ["--scheme", "equivalence", "--column", "reference=reference_answers"]
    environment = {"ANNOTATION_URL": line.url, "ANNOTATION_TOKEN": served.token, "PYTHONPATH": str(ROOT / "client/src")}
    line.silent_after = 2 * PART + MEGABYTE
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    while not line.is_silent.wait(0.1):
        assert first.poll() is None, first.communicate()
    first.send_signal(signal.SIGINT)
    _, said = first.communicate(timeout=60)
    assert (first.returncode, b"Traceback" in said) == (130, False)
    # What the line holds of the third part would still arrive, sooner or later; a network that breaks loses it.
    line.cut_what_is_silent()
    (waiting,) = platform.imports.uploads()
    assert waiting.offset == 2 * PART
    before = line.sent
    second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert second.returncode == 0, second.stderr
    assert second.stdout.strip().isdigit()
    assert line.sent - before < table.stat().st_size - 2 * PART + MEGABYTE


def test_what_has_arrived_is_not_sent_again(platform: Platform, served: Served, line: CuttingLine, table: Path) -> None:
    table = table.rename(table.with_name("arrived.csv"))
    chosen = {"target": "corpus", "scheme": "equivalence", "name": "Arrived"}
    sent = platform.imports.send(table, progress=False, **chosen)
    before = line.sent
    with Platform(line.url, token=served.token) as other:  # the first one was interrupted before it heard of it
        assert other.imports.send(table, progress=False, **chosen).record.id == sent.record.id
    assert line.sent - before < MEGABYTE
    another = platform.imports.send(table, progress=False, **chosen | {"name": "Another"})
    assert another.record.id != sent.record.id
    sent.change(columns={"reference": "reference_answers"})
    anew = platform.imports.send(table, progress=False, **chosen)
    assert anew.record.id not in (sent.record.id, another.record.id), "somebody works with that one"
    for each in (sent, another, anew):
        each.give_up()


@pytest.mark.parametrize("name", ["a\\b.csv", "two\nlines.csv", "tab\t.csv", "not utf-8 \udcff.csv"])
def test_names_that_other_systems_have_not_are_sent_with_what_they_have(
    platform: Platform, table: Path, name: str
) -> None:
    large = table.rename(table.with_name(name))
    small = table.with_name("folder") / name
    small.parent.mkdir()
    small.write_bytes(large.read_bytes()[:2000])
    for path in (large, small):
        sent = platform.imports.send(path, progress=False)
        (file,) = sent.record.files
        assert file["name"] == re.sub(r"[\\\n\t\udcff]", "_", name)
