"""ZIPs of a folder that ``datasets`` saved (``save_to_disk``): the rows of its Arrow files, split by split."""

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from annotation_platform.core.locations import Location
from annotation_platform.corpus.importers.arrow import SUFFIX, ArrowFile
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes, place, wrong_at
from annotation_platform.corpus.importers.packed import Archive, is_archive
from annotation_platform.corpus.importers.parquet import MOST_IN_GROUP, MOST_ROWS, MOST_UNPACKED
from annotation_platform.corpus.importers.rows import BinaryRowFile, Row

STATE = "state.json"  # beside the Arrow files of a split, and names them


def is_saved_folder(path: Path) -> bool:
    """Whether a file is an archive of such a folder, perhaps within another folder."""
    if not is_archive(path):
        return False
    try:
        with Archive(path, path.name) as archive:
            return any(PurePosixPath(name).name == STATE for name in archive.names)
    except (ImportFileError, OSError):
        return False  # which is told by whoever reads it


def is_left_over(path: Path) -> bool:
    """Whether a folder that was saved does not name an Arrow file in it: ``datasets`` keeps there what it once made."""
    state = path.with_name(STATE)
    if path.suffix != SUFFIX or not state.exists():
        return False
    try:
        named = _named_in(json.loads(state.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return False  # then it is any folder
    return bool(named) and path.name not in named


@dataclass(frozen=True)
class SavedFolder(BinaryRowFile):
    """Such an archive. One Arrow file of it at a time is unpacked, to a folder that is gone afterwards.

    ``begins``: the number of each file's first row among all, and its name, as far as they were read.

    Raises
    ------
    ImportFileError
        When it is broken, names files that it does not have, or would unpack to too much.
    """

    begins: list[tuple[int, str]] = field(default_factory=list, compare=False)

    def __post_init__(self) -> None:
        with Archive(self.path, self.name) as archive:
            names = self._arrow_files(archive)
            if (size := sum(map(archive.size, names))) > MOST_UNPACKED:
                sizes = {"size": size / 1e6, "most": MOST_UNPACKED / 1e6}
                raise ImportFileError([wrong_at(self.name, "corpus.packed_too_large", **sizes)])

    def where(self, location: Location) -> str:
        """File, the Arrow file in it, its row and column: ``saved.zip: train/data-….arrow, row 12: answer``."""
        number, *inner = location or (0,)
        if not isinstance(number, int) or not number or not self.begins:
            return place(self.name, *inner)
        first, name = self.begins[bisect_right(self.begins, number, key=lambda each: each[0]) - 1]
        return place(f"{self.name}: {name}", *inner, row=number - first + 1)

    def _arrow_files(self, archive: Archive) -> list[str]:
        """The Arrow files that the splits name, in their order."""
        found: dict[str, None] = {}
        there = dict.fromkeys(archive.names)
        for state in (name for name in there if PurePosixPath(name).name == STATE):
            at = f"{self.name}: {state}"
            for name in _named_in(archive.json(state)):
                file = str(PurePosixPath(state).with_name(name))
                if file not in there:
                    raise ImportFileError([wrong_at(at, "corpus.saved_file_missing", file=name)])
                if file in found:
                    raise ImportFileError([wrong_at(at, "corpus.saved_file_twice", file=name)])
                found[file] = None
        if not found:
            raise ImportFileError([wrong_at(self.name, "corpus.saved_without_files")])
        return [*found]

    def _read(self, mistakes: Mistakes) -> Iterator[Row]:
        self.begins.clear()
        number = 0
        with Archive(self.path, self.name) as archive, TemporaryDirectory(prefix="saved-") as folder:
            for count, name in enumerate(self._arrow_files(archive)):
                self.begins.append((number + 1, name))
                unpacked = Path(folder) / f"{count}.arrow"  # the one before may still be in memory
                archive.unpack(name, unpacked)
                for row in ArrowFile(unpacked, f"{self.name}: {name}").rows(mistakes):
                    number += 1
                    if number > MOST_ROWS:
                        limits = {"most": MOST_ROWS, "size": MOST_IN_GROUP / 1e6}
                        mistakes.add(wrong_at(self.name, "corpus.arrow_too_large", **limits))
                        return
                    yield Row(number, row.values)
                unpacked.unlink()


def _named_in(state: Any) -> list[str]:
    """The Arrow files that a split names; they lie beside it."""
    listed = state.get("_data_files") if isinstance(state, dict) else None
    named = listed if isinstance(listed, list) else ()
    names = [each.get("filename") for each in named if isinstance(each, dict)]
    return [name for name in names if name and isinstance(name, str) and PurePosixPath(name).name == name]
