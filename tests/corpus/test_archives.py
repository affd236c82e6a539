"""Archives are unpacked no further than their own list says, and never to a path of theirs."""

import gc
import json
import re
import shutil
import zipfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from annotation_platform.core.schemes import preset
from annotation_platform.corpus.importers import FORMATS, Options, arrow, guess_format, open_files, packed
from annotation_platform.corpus.importers import saved as saved_folders
from annotation_platform.corpus.importers.mistakes import ImportFileError
from tests.corpus.test_model_output import WRITTEN, read
from tests.corpus.test_published_formats import reasons_of

LOG = WRITTEN / "inspect.eval"


def log(path: Path, **samples: bytes) -> Path:
    """A log of Inspect with samples of any content; a name has ``/`` as ``__``."""
    with packed.Archive(LOG, "log") as archive:
        header, ice = archive.json("header.json"), archive.json("samples/ice_epoch_1.json")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        written.writestr("header.json", json.dumps(header))
        written.writestr("samples/ice_epoch_1.json", json.dumps(ice))
        for name, content in samples.items():
            written.writestr(name.replace("__", "/"), content)
    return path


def reasons(path: Path) -> list[str]:
    return reasons_of("inspect", path, definition=preset("equivalence"))


def test_a_sample_that_unpacks_to_too_much_is_refused_unread(tmp_path: Path) -> None:
    path = log(tmp_path / "bomb.eval", **{"samples__bomb.json": b" " * 65_000_000})
    assert path.stat().st_size < 100_000
    (reason,) = reasons(path)
    assert reason.endswith("bomb.json: unpacks to 65 MB; at most 64 MB are read")


def test_an_archive_that_unpacks_to_too_much_in_all_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log(tmp_path / "many.eval", **{f"samples__{n}.json": b"{}" + b" " * 1_000_000 for n in range(5)})
    monkeypatch.setattr(packed, "MOST_UNPACKED_IN_ALL", 4_000_000)
    with pytest.raises(ImportFileError, match="has 7 files that unpack to 5 MB; at most 200,000 files of 4 MB"):
        packed.Archive(path, "many.eval")
    monkeypatch.undo()
    monkeypatch.setattr(packed, "MOST_FILES", 6)
    with pytest.raises(ImportFileError, match="at most 6 files"):
        packed.Archive(path, "many.eval")


@pytest.mark.parametrize("method", [8, packed.ZSTANDARD])
def test_what_is_longer_than_the_list_says_is_not_unpacked_further(method: int, tmp_path: Path) -> None:
    import pyarrow as pa

    content = b" " * 30_000_000
    path = log(tmp_path / "lying.eval", **{"samples__lie.json": content})
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("samples/lie.json")
    whole = bytearray(path.read_bytes())
    entry = whole.rindex(b"samples/lie.json") - 46  # of the list at the end
    whole[entry + 24 : entry + 28] = (1_000).to_bytes(4, "little")
    if method == packed.ZSTANDARD:
        bytes_ = pa.compress(content, codec="zstd", asbytes=True)
        begin = info.header_offset + 30 + len("samples/lie.json")
        whole[begin : begin + len(bytes_)] = bytes_
        for at in (info.header_offset + 8, entry + 10):
            whole[at : at + 2] = method.to_bytes(2, "little")
        whole[entry + 20 : entry + 24] = len(bytes_).to_bytes(4, "little")
    path.write_bytes(whole)
    (reason,) = reasons(path)
    assert "lie.json: " in reason


def test_names_of_files_in_an_archive_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    path = log(tmp_path / "in" / "out.eval", **{"samples__..__..__out.json": b"[]", "..__out.json": b"[]"})
    before = sorted(tmp_path.rglob("*"))
    assert len(reasons(path)) == 1  # of the sample that is none
    assert sorted(tmp_path.rglob("*")) == before
    assert read("inspect", log(tmp_path / "in" / "good.eval", **{"..__out.json": b"[]"})).questions


def test_a_zip_of_other_files_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "saved.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("train/data-00000-of-00001.arrow", b"any")
    (reason,) = reasons_of("table", path, definition=preset("equivalence"))
    assert reason.endswith("saved.zip: is an archive (ZIP). Unpack it, and choose the files in it")


# --- Folders that datasets saved --------------------------------------------------------------------------


def saved(
    path: Path, *, within: str = "", without: str = "", method: int = zipfile.ZIP_DEFLATED, **more: bytes
) -> Path:
    """The folder as a ZIP; ``without`` a file of it, and with others."""
    with zipfile.ZipFile(path, "w", method) as archive:
        for file in sorted((WRITTEN / "saved").rglob("*.*")):
            if file.name != without:
                archive.write(file, f"{within}{file.relative_to(WRITTEN / 'saved')}")
        for name, content in more.items():
            archive.writestr(f"{within}{name.replace('__', '/')}", content)
    return path


@pytest.mark.parametrize("within", ["", "saved/", "a/b/"])
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_saved_folder_as_zip_is_read_as_the_folder_is(within: str, method: int, tmp_path: Path) -> None:
    path = saved(tmp_path / "saved.zip", within=within, method=method, train__cache_0=b"any")
    assert guess_format(path, path.name).key == "table"
    study, folder = (read("table", *files) for files in ([path], sorted((WRITTEN / "saved").rglob("*.arrow"))))
    assert [(each.text, each.answers) for each in study.questions] == [(e.text, e.answers) for e in folder.questions]
    assert study.counts == folder.counts


@pytest.mark.parametrize("named", [5, True, "a.arrow", {"filename": "a.arrow"}, [5], [{"filename": ""}], [{}], None])
def test_a_split_that_names_no_file_is_refused(named: Any, tmp_path: Path) -> None:
    path = tmp_path / "saved.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("train/state.json", json.dumps({"_data_files": named}))
        archive.writestr("train/a.arrow", b"any")
    (reason,) = reasons_of("table", path, definition=preset("equivalence"))
    assert reason.endswith("saved.zip: has no Arrow file that a split names")


@pytest.mark.parametrize("new", [pa.ipc.new_stream, pa.ipc.new_file])
@pytest.mark.parametrize("method", ["zstd", "lz4"])
def test_what_a_packed_arrow_file_unpacks_to_is_known_before(
    new: Any, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pa.table({"question": ["Why?"] * 30, "answer": ["x" * 10_000] * 30, "reference": ["r"] * 30})
    rows = rows.append_column("source", pa.array(["s"] * 30).dictionary_encode())
    path = tmp_path / "packed.arrow"
    with new(path, rows.schema, options=pa.ipc.IpcWriteOptions(compression=method)) as stream:
        stream.write_table(rows)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(arrow, "MOST_IN_GROUP", 300_000)
    no_batches = SimpleNamespace(schema=rows.schema)
    monkeypatch.setattr(arrow.ArrowFile, "_opened", lambda file: nullcontext(no_batches))
    reason, *_ = reasons_of("table", path, definition=preset("equivalence"))
    assert "in one record batch" in reason
    monkeypatch.undo()
    assert read("table", path).questions


def test_what_the_end_of_an_arrow_file_names_elsewhere_is_not_read(tmp_path: Path) -> None:
    """A writer puts batches one after another. Here the stream ends before the last one, which the end names twice."""
    path = tmp_path / "crafted.arrow"
    places = []
    schema = pa.table({"question": [""], "answer": [""], "reference": [""]}).schema
    with path.open("wb") as file, pa.ipc.new_file(file, schema) as written:
        for said in ("seen", "over", "hidden"):
            places.append(file.tell())
            written.write_table(pa.table({"question": [said], "answer": [said], "reference": [said]}))
    content = bytearray(path.read_bytes())
    _, over, hidden = (content.rindex(place.to_bytes(8, "little")) for place in places)
    content[over : over + 24] = content[hidden : hidden + 24]
    content[places[1] : places[1] + 8] = b"\xff\xff\xff\xff\0\0\0\0"
    path.write_bytes(content)
    with pa.ipc.open_file(path) as file:
        assert file.read_all()["question"].to_pylist() == ["seen", "hidden", "hidden"]
    assert [each.text for each in read("table", path).questions] == ["seen"]


def test_a_split_that_names_a_file_many_times_is_refused(tmp_path: Path) -> None:
    name = "data-00000-of-00002.arrow"
    path = saved(tmp_path / "a.zip", without="state.json")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("train/state.json", json.dumps({"_data_files": [{"filename": name}] * 1_000}))
    (reason,) = reasons_of("table", path, definition=preset("equivalence"))
    assert reason.endswith(f"a.zip: train/state.json: names {name} more than once")


def test_an_archive_of_a_version_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "saved.zip")
    path.write_bytes(re.sub(rb"(?s)(?<=PK\x01\x02..)..", (99).to_bytes(2, "little"), path.read_bytes()))
    with pytest.raises(ImportFileError, match=r"zip file version 9\.9"):
        packed.Archive(path, "saved.zip")
    assert "is an archive" in str(reasons_of("table", path, definition=preset("equivalence")))


def test_a_zip_of_what_datasets_itself_writes_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = datasets.load_from_disk(str(WRITTEN / "saved"))["train"]
    rows.save_to_disk(tmp_path / "alone", num_shards=2)
    path = Path(shutil.make_archive(str(tmp_path / "alone"), "zip", tmp_path / "alone"))
    study, folder = (read("table", *files) for files in ([path], sorted((tmp_path / "alone").glob("*.arrow"))))
    assert study.counts == folder.counts
    assert study.counts.answers == len(rows)


def test_what_no_split_names_stays_out(tmp_path: Path) -> None:
    rows = pa.table({"question": ["What is this?"], "answer": ["A cache."]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as stream:
        stream.write_table(rows)
    path = saved(tmp_path / "saved.zip", **{"train__cache-1.arrow": sink.getvalue().to_pybytes()})
    assert "What is this?" not in [each.text for each in read("table", path).questions]


def test_a_mistake_in_a_saved_folder_is_told_with_its_arrow_file_and_row(tmp_path: Path) -> None:
    def arrow(*answers: str) -> bytes:
        rows = pa.table(
            {"question": [f"Why, {each[:3]}?" for each in answers], "answer": answers, "reference": answers}
        )
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, rows.schema) as stream:
            stream.write_table(rows)
        return bytes(sink.getvalue().to_pybytes())

    path = tmp_path / "two.zip"
    names = [f"data-0000{n}-of-00002.arrow" for n in range(2)]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("state.json", json.dumps({"_data_files": [{"filename": name} for name in names]}))
        archive.writestr(names[0], arrow("one", "two"))
        archive.writestr(names[1], arrow("three", "fo\x00ur"))
    (reason,) = reasons_of("table", path, definition=preset("equivalence"))
    assert f"two.zip: {names[1]}, row 2: " in reason


def test_a_saved_folder_that_is_broken_or_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "data-00001-of-00002.arrow"
    (reason,) = reasons_of("table", saved(tmp_path / "a.zip", without=name), definition=preset("equivalence"))
    assert reason.endswith(f"a.zip: train/state.json: names {name}, which is not in the archive")
    path = saved(tmp_path / "b.zip", without=name, **{f"train__{name}": b"\xff\xff\xff\xffno"})
    assert "cannot be read as Arrow" in reasons_of("table", path, definition=preset("equivalence"))[0]
    path = tmp_path / "c.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("state.json", json.dumps({"_data_files": [{"filename": "../c.zip"}]}))
    (reason,) = reasons_of("table", path, definition=preset("equivalence"))
    assert reason.endswith("c.zip: has no Arrow file that a split names")
    monkeypatch.setattr(saved_folders, "MOST_UNPACKED", 1_000)
    (reason,) = reasons_of("table", saved(tmp_path / "d.zip"), definition=preset("equivalence"))
    assert "d.zip: unpacks to" in reason


def test_nothing_of_a_saved_folder_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    path = saved(tmp_path / "saved.zip")
    read("table", path)
    FORMATS["table"].preview(open_files(FORMATS["table"], [path]), Options(definition=preset("equivalence")))
    gc.collect()
    assert [*(tmp_path / "t").iterdir()] == []
