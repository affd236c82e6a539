"""Archives (ZIP): JSON in them, also packed with Zstandard, which Python itself does not unpack yet; or whole files."""

import json
import shutil
import zipfile
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from annotation_platform.corpus.importers.mistakes import ImportFileError, in_json_words, reason_of, wrong_at

ZSTANDARD = 93  # the number of the method in the archive's format
LOCAL_HEADER = 30  # bytes before the name and the extra field of a file in the archive
MOST_UNPACKED = 64_000_000  # bytes of one file
MOST_FILES = 200_000
MOST_UNPACKED_IN_ALL = 20_000_000_000  # bytes; megabytes can be packed so that they unpack to as many as one likes


def is_archive(path: Path) -> bool:
    """Whether a file begins as archives do."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False  # which is told by whoever reads it


class Archive:
    """An archive that is open to be read, in a ``with`` block. ``name`` is what messages call it.

    Nothing of it is written but where :meth:`unpack` is told to, so names of its files lead nowhere; what is unpacked
    is never longer than the archive's own list says.

    Raises
    ------
    ImportFileError
        When it is broken, has too many files, or would unpack to too much.
    """

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._file = path.open("rb")
        try:
            self._zip = zipfile.ZipFile(self._file)
        except Exception as error:  # whatever a strange file makes of the library
            self._file.close()
            raise ImportFileError([wrong_at(name, "corpus.archive_unread", why=reason_of(error))]) from None
        infos = self._zip.infolist()
        size = sum(each.file_size for each in infos)
        if len(infos) > MOST_FILES or size > MOST_UNPACKED_IN_ALL:
            self._zip.close()
            self._file.close()
            limits = {"most_files": MOST_FILES, "most": MOST_UNPACKED_IN_ALL / 1e6}
            too_large = wrong_at(name, "corpus.archive_too_large", files=len(infos), size=size / 1e6, **limits)
            raise ImportFileError([too_large])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()
        self._file.close()

    @cached_property
    def names(self) -> list[str]:
        return self._zip.namelist()

    def size(self, name: str) -> int:
        """The bytes that one of its files unpacks to."""
        return self._zip.getinfo(name).file_size

    def unpack(self, name: str, to: Path) -> None:
        """Write one of its files to where it is wanted.

        Raises
        ------
        ImportFileError
            When it cannot be unpacked, or not be kept.
        """
        try:
            with self._zip.open(name) as packed, to.open("wb") as file:
                shutil.copyfileobj(packed, file)
        except Exception as error:  # whatever a strange file makes of the library
            at = f"{self.name}: {name}"
            raise ImportFileError([wrong_at(at, "corpus.archive_unread", why=reason_of(error))]) from None

    def json(self, name: str) -> Any:
        """What one of its files holds.

        Raises
        ------
        ImportFileError
            When it is no JSON, is too large, or cannot be unpacked.
        """
        at = f"{self.name}: {name}"
        info = self._zip.getinfo(name)
        if info.file_size > MOST_UNPACKED:
            raise ImportFileError(
                [wrong_at(at, "corpus.packed_too_large", size=info.file_size / 1e6, most=MOST_UNPACKED / 1e6)]
            )
        try:
            packed = info.compress_type == ZSTANDARD
            return json.loads(self._unpacked(info) if packed else self._zip.read(info))
        except json.JSONDecodeError as error:
            raise ImportFileError([wrong_at(at, "corpus.json_unread", why=in_json_words(error))]) from None
        except Exception as error:  # whatever a strange file makes of the libraries
            raise ImportFileError([wrong_at(at, "corpus.archive_unread", why=reason_of(error))]) from None

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        import pyarrow as pa

        self._file.seek(info.header_offset)
        header = self._file.read(LOCAL_HEADER)
        lengths = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
        self._file.seek(info.header_offset + LOCAL_HEADER + lengths)
        packed = self._file.read(info.compress_size)
        unpacked: bytes = pa.decompress(packed, decompressed_size=info.file_size, codec="zstd", asbytes=True)
        return unpacked
