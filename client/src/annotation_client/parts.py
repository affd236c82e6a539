"""A file on its way here: what has come of it, and of which file that is, so that another process can go on with it."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

_RANGE = re.compile(r"bytes (?:(\d+)-\d+|\*)/(\d+|\*)")


class Part:
    """``NAME.part``, with the tag of its file in ``NAME.part.etag``. Use as a context manager."""

    def __init__(self, to: Path) -> None:
        self._to = to
        self._path, self._tag_path = (to.with_name(f"{to.name}.{ending}") for ending in ("part", "part.etag"))
        self._file = open(self._path, "ab")  # noqa: SIM115  # closed with this object
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._file.close()
                raise OSError(f"{self._path} is being written by another program.") from None
            if not self._path.exists():  # and has just got its name
                self._file.close()
                raise OSError(f"{to} has just been downloaded by another program.")
        self._tag = self._tag_path.read_text(encoding="utf-8") if self._tag_path.exists() else ""
        if not self._tag:
            self._file.truncate(0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        if self._path.exists() and not (self._tag and self.size):
            self._path.unlink()
            self._tag_path.unlink(missing_ok=True)

    @property
    def size(self) -> int:
        """How many bytes have come."""
        if self._file.closed:
            return self._path.stat().st_size
        self._file.flush()
        return os.fstat(self._file.fileno()).st_size

    @property
    def headers(self) -> dict[str, str]:
        """What asks for the rest; bytes as they are, for ranges of packed ones would be others."""
        rest = {"Range": f"bytes={self.size}-", "If-Range": self._tag} if self._tag and self.size else {}
        return {"Accept-Encoding": "identity", **rest}

    def goes_on(self, status: int, headers: Mapping[str, str]) -> bool:
        """Whether an answer is the rest of what is here."""
        match = _RANGE.fullmatch(headers.get("Content-Range", "")) if status == 206 else None
        return match is not None and match[1] == str(self.size)

    def is_all(self, headers: Mapping[str, str]) -> bool:
        """Whether nothing is missing, by an answer that there is no such range."""
        match = _RANGE.fullmatch(headers.get("Content-Range", ""))
        return match is not None and match[2] == str(self.size)

    def begin(self, headers: Mapping[str, str]) -> None:
        """Forget what has come; note of which file the rest will be, if it can be gone on with."""
        self._file.truncate(0)
        tag = headers.get("ETag", "")
        self._tag = tag if headers.get("Accept-Ranges") == "bytes" and not tag.startswith("W/") else ""
        self._tag_path.write_text(self._tag, encoding="utf-8")

    def add(self, piece: bytes) -> None:
        self._file.write(piece)

    def whole(self) -> Path:
        """Give it its name."""
        self._file.close()
        self._tag_path.unlink(missing_ok=True)
        return self._path.replace(self._to)
