"""What a file to import must be made of: UTF-8 text. Other encodings are named, never guessed at."""

import codecs
from pathlib import Path

from annotation_platform.corpus.importers.mistakes import ImportFileError

BLOCK = 1 << 20
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
ADVICE = "Save it as UTF-8 and import it again"
AS_CSV = "Open it, save each sheet with “Save as” → “CSV UTF-8 (comma delimited)”, and import that"
WORKBOOKS = {  # by their first bytes; one with a password begins as the old ones do
    b"PK\x03\x04": (".xlsx", ".xlsm", ".ods"),
    b"\xd0\xcf\x11\xe0": (".xls", ".xlsx", ".xlsm"),
}
NOT_READ = "which is not read here: a table may be an .xlsx without a password"


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
                    raise ImportFileError([f"{name}: is a spreadsheet workbook ({kind}), {NOT_READ}. {AS_CSV}"])
                if not before and block.startswith(UTF_16):
                    raise ImportFileError([f"{name}: is UTF-16 text. {ADVICE}"])
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
        raise ImportFileError([f"{name}: cannot be read ({error.strerror})"]) from None


def _workbook(block: bytes, name: str) -> str:
    """The suffix that a workbook has, or should have, by its first bytes; "" where it is none."""
    suffixes = next((known for start, known in WORKBOOKS.items() if block.startswith(start)), ())
    suffix = Path(name).suffix.lower()
    if suffix in suffixes:
        return suffix
    return ".xlsx" if suffixes and b"xl/" in block else ""


def _not_utf_8(name: str, line: int, byte: int, block: bytes) -> ImportFileError:
    if b"\x00" in block:  # no text in an 8-bit encoding has one; pictures and archives do
        return ImportFileError([f"{name}: is not UTF-8 text (byte {byte:,}): UTF-16, or no text at all. {ADVICE}"])
    guess = "perhaps Latin-1 or Windows-1252, as spreadsheets write it"
    return ImportFileError([f"{name}: is not UTF-8 text (byte {byte:,}, line {line:,}): {guess}. {ADVICE}"])
