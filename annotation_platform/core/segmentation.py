"""Running text as sentences."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

_SPACE = re.compile(r"\s*")
_ONE_SPACE = re.compile(r"\s")
_STOP = re.compile(r"\.")
_ALSO_LETTERS = re.compile("[\u0130\u0131\u017f\u212a]")  # which a pattern that ignores case takes for i, s and k


def split_sentences(text: str, language: str = "en") -> list[str]:
    """Split running text into sentences with pysbd, dropping empty ones and surrounding space.

    Parameters
    ----------
    text : str
        Running text; line ends count as sentence ends.
    language : str
        ISO code that pysbd knows (``en``, ``ja``, …).

    Raises
    ------
    ValueError
        When pysbd has no rules for the language.
    """
    segmenter = _segmenter(language)
    return [
        sentence
        for line in text.splitlines()
        for part in _parts_of(line, segmenter.processor(line).process() if line else [])
        if (sentence := part.strip())
    ]


@cache
def _segmenter(language: str) -> Any:
    import pysbd  # a tenth of a second that only imports of running text need to pay

    segmenter = pysbd.Segmenter(language=language, clean=False)
    if language == "en":
        segmenter.language_module = _quick(segmenter.language_module)
    return segmenter


def _quick(module: Any) -> Any:
    """A language of pysbd in which abbreviations are looked for only where one stands before a full stop.

    Nothing else is ever done to one, and looking for each of two hundred takes a third of the whole time.
    """
    known = [abbreviation.strip() for abbreviation in module.Abbreviation.ABBREVIATIONS]
    plain = tuple(f" {abbreviation}" for abbreviation in known if abbreviation.isalnum())
    others = [abbreviation for abbreviation in known if not abbreviation.isalnum()]

    class Replacer(module.AbbreviationReplacer):  # type: ignore[misc]  # pysbd has no types
        def search_for_abbreviations_in_string(self, text: str) -> str:
            lowered = _ONE_SPACE.sub(" ", f" {text.lower()}")
            if (
                any(lowered.endswith(plain, 0, stop.start()) for stop in _STOP.finditer(lowered))
                or any(abbreviation in lowered for abbreviation in others)
                or _ALSO_LETTERS.search(text)
            ):
                return str(super().search_for_abbreviations_in_string(text))
            return text

    return type(module.__name__, (module,), {"AbbreviationReplacer": Replacer})


def _parts_of(line: str, found: Iterable[str]) -> Iterator[str]:
    """What pysbd found, where it stands in the line: as its ``segment`` does, which compiles a pattern of each."""
    taken = 0
    for part in found:
        start = line.find(part)
        while start >= 0:
            end = _SPACE.match(line, start + len(part)).end()  # type: ignore[union-attr]  # it matches nothing, too
            if end > taken:
                yield part
                taken = end
                break
            start = line.find(part, end) if end > start else -1
