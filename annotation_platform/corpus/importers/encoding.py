"""What a file to import must be made of: UTF-8 text. Other encodings are named, never guessed at."""

import codecs
import re
from pathlib import Path

from annotation_platform.core.reasons import Reason
from annotation_platform.core.unreadable import why_not_opened
from annotation_platform.corpus.importers.mistakes import ImportFileError, wrong_at

BLOCK = 1 << 20
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ARCHIVE = b"PK\x03\x04"
ADVICE = "corpus.save_as_utf_8"
AS_CSV = "corpus.save_each_sheet_as_csv"
WORKBOOKS = {  # by their first bytes; one with a password begins as the old ones do
    b"PK\x03\x04": (".xlsx", ".xlsm", ".ods"),
    b"\xd0\xcf\x11\xe0": (".xls", ".xlsx", ".xlsm"),
}
NOT_READ = "corpus.workbook_not_read_here"


def check_encoding(path: Path, name: str) -> None:
    """Read a file through once, in bounded memory, to be sure that it is UTF-8 (with or without its mark).

    Raises
    ------
    ImportFileError
        Says what it seems to be instead, and from which line and byte on.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    before, line = 0, 1
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                if not before and (kind := _workbook(block, name)):
                    raise ImportFileError(
                        [
                            wrong_at(
                                name, "corpus.is_a_workbook", kind=kind, what=Reason(NOT_READ), advice=Reason(AS_CSV)
                            )
                        ]
                    )
                if not before and block.startswith(ARCHIVE):
                    raise ImportFileError([wrong_at(name, "corpus.is_an_archive")])
                if not before and block.startswith(UTF_16):
                    raise ImportFileError([wrong_at(name, "corpus.is_utf_16", advice=Reason(ADVICE))])
                waiting = len(decoder.getstate()[0])  # the beginning of a character that the last block cut
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    start = before - waiting + error.start
                    line += block.count(b"\n", 0, max(error.start - waiting, 0))
                    raise _not_utf_8(name, line, start, block) from None
                line += block.count(b"\n")
                before += len(block)
        if cut := len(decoder.getstate()[0]):  # the last character is not whole
            raise _not_utf_8(name, line, before - cut, b"")
    except OSError as error:
        if isinstance(error, FileNotFoundError):
            raise ImportFileError([wrong_at(name, "corpus.file_gone")]) from None
        raise ImportFileError([wrong_at(name, "corpus.file_unread", why=why_not_opened(error))]) from None


NO_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""What no text in an 8-bit encoding has, and pictures and archives do."""


JAPANESE = re.compile("[\u3041-\u30ff\u4e00-\u9fff]")


def _reads_as_shift_jis(block: bytes) -> bool:
    """Whether this is Japanese as spreadsheets write it where UTF-8 is not asked for; the last character can be cut."""
    try:
        return bool(JAPANESE.search(codecs.getincrementaldecoder("cp932")().decode(block)))
    except UnicodeDecodeError:
        return False


def _workbook(block: bytes, name: str) -> str:
    """The suffix that a workbook has, or should have, by its first bytes; "" where it is none."""
    suffixes = next((known for start, known in WORKBOOKS.items() if block.startswith(start)), ())
    suffix = Path(name).suffix.lower()
    if suffix in suffixes:
        return suffix
    return ".xlsx" if suffixes and b"xl/" in block else ""


def _not_utf_8(name: str, line: int, byte: int, block: bytes) -> ImportFileError:
    if NO_TEXT.search(block):
        return ImportFileError([wrong_at(name, "corpus.no_text", byte=byte, advice=Reason(ADVICE))])
    guess = Reason("corpus.perhaps_shift_jis" if _reads_as_shift_jis(block) else "corpus.perhaps_latin_1")
    return ImportFileError(
        [wrong_at(name, "corpus.no_utf_8", byte=byte, line=line, guess=guess, advice=Reason(ADVICE))]
    )
