"""Small files that cost much to read: each is refused, or told, after work that its size bounds."""

import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import ImportFileError, document, parquet
from tests.corpus.reading import read_files

HEAD = "format: annotation-platform/1\nstudy: {scheme: equivalence}\n"


def refused(path: Path, text: str) -> ImportFileError:
    path.write_text(text)
    with pytest.raises(ImportFileError) as caught:
        read_files("native", path)
    return caught.value


def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Any]:
    calls: list[Any] = []
    wrapped: Callable[..., Any] = getattr(document, name)
    monkeypatch.setattr(document, name, lambda *given: calls.append(given) or wrapped(*given))
    return calls


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_the_lines_of_very_many_mistakes_are_not_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    looked = counted(monkeypatch, "line_of")
    keys = {f"k{n}": 1 for n in range(3_000)}
    text = json.dumps(keys) if suffix == "json" else "\n".join(f"{key}: 1" for key in keys)
    error = refused(tmp_path / f"t.{suffix}", text)
    assert error.count > 3_000
    assert f"… and {error.count - 20:,} more." in str(error)
    assert len(looked) == len(error.reasons) == 1_000


def test_anchors_unfold_no_further_than_a_file_of_that_length_could_say(tmp_path: Path) -> None:
    lists = "".join(
        f"{name}: &{name} [{', '.join([before] * 10)}]\n"
        for before, name in zip(["{id: 1, text: Why?}", "*a", "*b", "*c", "*d"], "abcde", strict=True)
    )
    error = refused(tmp_path / "t.yaml", f"{HEAD}{lists}")
    assert "has more than 100,000 parts once its anchors are written out" in str(error)


def test_a_doubled_key_among_very_many_is_found_in_one_pass(tmp_path: Path) -> None:
    pairs = ", ".join([*(f'"k{n}": 1' for n in range(20_000)), '"k19999": 2'])
    assert "the key 'k19999' is there twice" in str(refused(tmp_path / "t.json", f"{{{pairs}}}"))


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "\n".join(" " * level + "a:" for level in range(300)), HEAD + "a: &a [*a]"]
)
def test_depth_without_end_is_refused_with_a_sentence(tmp_path: Path, text: str) -> None:
    for suffix in ("yaml", "json"):
        assert refused(tmp_path / f"t.{suffix}", text).reasons


# --- Parquet ---------------------------------------------------------------------------------------------------

PEAK = """
import resource, sys
from pathlib import Path
import pyarrow.parquet
import annotation_platform.corpus.sentences
from annotation_platform.corpus.importers import ImportFileError, FORMATS, open_files
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
try:
    open_files(FORMATS["table"], [Path(sys.argv[1])])
except ImportFileError as error:
    print(peak() - before, error.reasons[0], sep="\\n")
"""


def parquet_file(path: Path, **how: Any) -> bytes:
    """A file of 3,000 rows, as its bytes."""
    texts = [f"Why is {n} so? " * 5 for n in range(3_000)]
    pq.write_table(pa.table(dict.fromkeys(("question", "answer", "reference_answers"), texts)), path, **how)
    return path.read_bytes()


def refused_parquet(path: Path) -> str:
    with pytest.raises(ImportFileError) as caught:
        read_files("table", path, definition=preset("equivalence"))
    return caught.value.reasons[0].removeprefix(f"{path.parent}/")


def test_a_parquet_file_of_too_many_rows_is_refused_by_what_its_end_says(tmp_path: Path) -> None:
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"question": pa.nulls(parquet.MOST_ROWS + 1, pa.int8())}), path)
    assert path.stat().st_size < 10_000
    assert refused_parquet(path) == (
        "long.parquet: has 2,000,001 rows, and at most 2,000,000 of a Parquet file are read; use CSV"
    )
    assert parquet.unpacked_bytes(path) > 2_000_000  # no work for a web process


def test_a_parquet_file_that_unpacks_to_too_much_is_refused_before_anything_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "packed.parquet"
    rows = pa.table({"question": ["x" * 1_000_000] * 220})
    pq.write_table(rows, path, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < 1_000_000
    told = subprocess.run([sys.executable, "-c", PEAK, str(path)], check=True, stdout=subprocess.PIPE, text=True)
    kilobytes, reason = told.stdout.splitlines()
    assert reason == f"{path}: unpacks to 220 MB, which is more than is read of Parquet; use CSV"
    assert int(kilobytes) < 50_000


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (lambda whole: whole[:-200], "its end is missing; copy it again"),
        (lambda whole: b"PAR1", "its end is missing; copy it again"),
        (lambda whole: whole[: len(whole) // 2] + b"PAR1", "its end is missing; copy it again"),
        (
            lambda whole: b"PAR1" + bytes(200) + (200).to_bytes(4, "little") + b"PAR1",
            "a part of it is damaged; copy it again",
        ),
    ],
)
def test_a_broken_parquet_file_is_refused_with_what_to_do(
    tmp_path: Path, broken: Callable[[bytes], bytes], why: str
) -> None:
    path = tmp_path / "table.parquet"
    path.write_bytes(broken(parquet_file(path)))
    assert refused_parquet(path) == f"table.parquet: cannot be read as Parquet ({why})"
    assert parquet.unpacked_bytes(path) == 0


def test_a_damaged_part_of_a_parquet_file_is_told_with_the_row_before_it(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    whole = parquet_file(path, row_group_size=1_500, use_dictionary=False)
    start = pq.read_metadata(path).row_group(1).column(0).data_page_offset + 100
    path.write_bytes(whole[:start] + b"\xff" * 100 + whole[start + 100 :])
    reason = "table.parquet, row 1,500: cannot be read as Parquet (a part of it is damaged; copy it again)"
    assert refused_parquet(path) == reason


# --- Arrow -----------------------------------------------------------------------------------------------------

READ = """
import sys
from pathlib import Path
import annotation_platform.corpus.sentences
from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, ImportFileError, Options, open_files, read_study
try:
    files = open_files(FORMATS["table"], [Path(sys.argv[1])])
    with read_study(FORMATS["table"], files, Options(preset("equivalence"))):
        print("read")
except ImportFileError as error:
    print(error.reasons[0])
"""


@pytest.mark.parametrize("end", [8, 0x7FFFFF00, -1])
def test_texts_that_lie_outside_of_an_arrow_file_are_refused_and_end_no_process(tmp_path: Path, end: int) -> None:
    column = pa.array(["Why?", "How?", "Who?"])
    table = pa.table({"question": column, "answer": column, "reference_answers": column})
    with pa.ipc.new_stream(tmp_path / "t.arrow", table.schema) as stream:
        stream.write_table(table)
    ends = [struct.pack("<4i", 0, 4, each, 12) for each in (8, end)]
    content = (tmp_path / "t.arrow").read_bytes()
    assert content.count(ends[0]) == 3
    (tmp_path / "t.arrow").write_bytes(content.replace(*ends))
    command = [sys.executable, "-c", READ, str(tmp_path / "t.arrow")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert ("read" if end == 8 else "cannot be read") in done.stdout
