"""What every prompt is made of: chat messages, text with placeholders, and fences around texts of others."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypedDict

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
_MARKER_LENGTH = 12


class Message(TypedDict):
    """One chat message."""

    role: str
    content: str


@dataclass(frozen=True)
class Fence:
    """Two marker lines that stand around texts which annotators, authors or systems wrote."""

    start: str
    end: str

    def around(self, text: str) -> str:
        """The text between the two markers."""
        return f"{self.start}\n{text}\n{self.end}"


def fence_for(texts: Iterable[str]) -> Fence:
    """The fence for the texts of one prompt.

    Its marker, twelve hexadecimal digits, is taken from a hash of the texts themselves: it does not occur in them,
    not even in other letter case or in full-width characters, and nobody who writes one of them can foresee it. The
    same texts give the same fence, so that prompts which show the same are the same, and are paid for once.
    """
    written = "\0".join(texts)
    seen = f"{written}\0{unicodedata.normalize('NFKC', written)}".lower()
    digest = sha256(written.encode(errors="surrogatepass")).hexdigest()
    while digest[:_MARKER_LENGTH] in seen:
        digest = sha256(digest.encode()).hexdigest()
    marker = digest[:_MARKER_LENGTH]
    return Fence(start=f"[[text {marker}]]", end=f"[[end of text {marker}]]")


def fill(text: str, values: Mapping[str, str]) -> str:
    """Put values in the place of ``{{ names }}``, in one sweep: what is put in is not looked at again.

    Raises
    ------
    KeyError
        The text has a placeholder without a value.
    """
    return PLACEHOLDER.sub(lambda placeholder: values[placeholder[1]], text)


def normalise(text: str) -> str:
    """One kind of line end and no blank edges: an editor's habits do not change a template's signature."""
    return "\n".join(text.splitlines()).strip()
