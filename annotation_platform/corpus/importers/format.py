"""The contract of every importer: what a format can tell of its files before, while and after they are read."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from annotation_platform.core.reasons import Reason
from annotation_platform.core.schemes import Scheme, build_scheme, preset
from annotation_platform.corpus.importers.mistakes import ImportFileError, Mistakes
from annotation_platform.corpus.importers.study import Entry, Header, Source

PREVIEWED = 5
NO_SCHEME = "corpus.no_scheme"


@dataclass(frozen=True)
class Field:
    """Something that a column of a file can hold. ``is_needed``: without it nothing can be imported.

    ``values``: what can be said there, as (value, label), where that is one of a few things.
    """

    key: str
    title: str
    """A reason, or the scheme's own words."""
    is_needed: bool = False
    values: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True)
class Options:
    """What whoever imports has chosen: a scheme (None: the format's or the file's own), a language, column → field.

    ``values``: column → what the file says there → what that stands for; "" for nothing. ``wants_judgments``: false
    where only questions and answers are taken, so that it does no harm if nobody says what was judged. ``reader``: the
    language of whoever looks, in which a scheme's own words are shown.
    """

    definition: Mapping[str, Any] | None = None
    language: str = "en"
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    wants_judgments: bool = True
    reader: str = "en"


@dataclass(frozen=True)
class Preview:
    """The first rows of a file, and what its columns are taken for (column → field; "": for nothing)."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    mapping: Mapping[str, str] = field(default_factory=dict)
    fields: Sequence[Field] = ()
    wrong: Sequence[str] = ()
    """What is wrong with the choice of columns."""
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Column → what the first rows say there, for columns that hold one of a few things."""
    warnings: Sequence[str] = ()
    """What can be imported, but is perhaps not meant."""
    sheets: Sequence[str] = ()
    """Of a workbook, one of which is read."""


class Format(ABC):
    """A file format. One instance reads many files; nothing of them is kept in it."""

    key: ClassVar[str]
    called: ClassVar[str]
    """The code of its name."""
    preset: ClassVar[str] = ""
    """The scheme that the format is for; "": whoever imports says which, or the file does."""
    in_folders: ClassVar[Sequence[str]] = ()
    """The suffixes of what is read where a folder is given instead of files."""

    @property
    def title(self) -> Reason:
        return Reason(self.called)

    def open(self, path: Path, name: str = "", sheet: str = "") -> Source:
        """A file to read; ``name`` is what messages call it, ``sheet`` what is read of a workbook ("": the first).

        Raises
        ------
        ImportFileError
            When it cannot be read or is not UTF-8.
        """
        return self._open(path, name or str(path), sheet)

    @abstractmethod
    def _open(self, path: Path, name: str, sheet: str) -> Source: ...

    @abstractmethod
    def fits(self, preview: str, suffix: str) -> bool:
        """Whether a file that begins so and has this suffix looks like this format."""

    def fields(self, options: Options) -> list[Field]:
        """What columns can be taken for; none where the format has columns of its own."""
        return []

    @abstractmethod
    def preview(self, sources: Sequence[Any], options: Options) -> Preview:
        """The first rows.

        Raises
        ------
        ImportFileError
            When there are none.
        """

    def note(self, sources: Sequence[Any], options: Options) -> dict[str, Any]:
        """What a preview needs of the files, as JSON, so that large ones are read once for many previews.

        Raises
        ------
        ImportFileError
            When there are no rows.
        """
        preview = self.preview(sources, options)
        return {"columns": list(preview.columns), "rows": [list(row) for row in preview.rows]}

    def preview_noted(self, noted: Mapping[str, Any], options: Options) -> Preview:
        """The preview of files of which this was noted."""
        return Preview(columns=noted["columns"], rows=noted["rows"])

    @abstractmethod
    def begin(self, sources: Sequence[Any], options: Options, mistakes: Mistakes) -> tuple[Header, Iterator[Entry]]:
        """What is said of the study as a whole, and its entries in a stream.

        Raises
        ------
        ImportFileError
            When nothing of it can be read.
        """

    def lacks_scheme(self, options: Options) -> bool:
        """Whether the format has no scheme of its own, and none is chosen yet."""
        return options.definition is None and not self.preset

    def definition(self, options: Options) -> Mapping[str, Any]:
        """The scheme's definition: the one chosen, or the format's own."""
        if self.lacks_scheme(options):
            raise ImportFileError([Reason(NO_SCHEME)])
        return preset(self.preset) if options.definition is None else options.definition

    def scheme(self, options: Options) -> Scheme:
        return build_scheme(dict(self.definition(options)), options.reader)
