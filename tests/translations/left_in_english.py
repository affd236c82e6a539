"""The words of templates that no translation reaches: ``python -m tests.translations.left_in_english [FOLDER]``."""

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

TEMPLATES = Path(__file__).parents[2] / "frontend_templates"
READ_ALOUD = {"title", "aria-label", "aria-description", "placeholder", "alt", "data-label", "data-confirm"}
NOT_WORDS = {"script", "style", "code", "pre", "kbd", "samp", "math", "var"}
NAMES = frozenset(
    re.findall(
        r"\S+",
        ",",
    )
)
_HIDDEN = re.compile(
    r"\{#.*?#\}|\{% comment.*?endcomment %\}|\{% (blocktrans\w*) .*?end\1 %\}|\{% (blocktrans\w*) %\}.*?end\2 %\}"
    r"|\{% verbatim.*?endverbatim %\}",
    re.DOTALL,
)
_TAG = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_LITERAL = re.compile(r"""(?<!_\()(["'])((?:(?!\1)[^\\]|\\.)*)\1""")
_SAYS_NOTHING = re.compile(r"\{%-?\s*(translate|trans|url|static|load|extends|block|get_\w+|language|now|csrf\w*)\b")
_WORD = re.compile(r"[A-Za-z][A-Za-z’'-]+")


class Left(NamedTuple):
    line: int
    words: str


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match.group())


def _has_words(text: str) -> bool:
    return any(word not in NAMES for word in _WORD.findall(re.sub(r"&\w+;", " ", text)))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.left: list[Left] = []
        self.open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        silent = tag in NOT_WORDS or named.get("translate") == "no" or "lang" in named
        if not silent and not self._silent():
            self.left += [
                Left(self.getpos()[0], f"{name}: {value}")
                for name, value in attrs
                if value and (name in READ_ALOUD or (name == "value" and tag == "input" and self._is_button(named)))
                if _has_words(value)
            ]
        if tag not in {"br", "img", "input", "meta", "link", "hr", "col", "wbr", "source"}:
            self.open.append((tag, silent and tag != "html"))

    def handle_endtag(self, tag: str) -> None:
        for place in range(len(self.open) - 1, -1, -1):
            if self.open[place][0] == tag:
                del self.open[place:]
                return

    def handle_data(self, data: str) -> None:
        if _has_words(data) and not self._silent():
            first = self.getpos()[0] + len(data) - len(data.lstrip()) and data[: len(data) - len(data.lstrip())].count(
                "\n"
            )
            self.left.append(Left(self.getpos()[0] + first, " ".join(data.split())))

    def _silent(self) -> bool:
        return any(silent for _tag, silent in self.open)

    def _is_button(self, named: dict[str, str | None]) -> bool:
        return named.get("type") in {"submit", "button", "reset"}


def left_in_english(source: str) -> list[Left]:
    """Where a template has words of its own outside ``translate`` and ``blocktranslate``, and what they are.

    Text, attributes that are read aloud, and literals that tags hand on; not what stands in code, keys, scripts or
    elements with ``translate="no"`` or ``lang``.
    """
    source = _HIDDEN.sub(_blank, source)
    literals = [
        Left(source.count("\n", 0, tag.start()) + 1, literal.group(2))
        for tag in _TAG.finditer(source)
        if not _SAYS_NOTHING.match(tag.group())
        for literal in _LITERAL.finditer(tag.group())
        if re.match(r"[A-Z][a-z]+|\w+ \w+ \w+", literal.group(2)) and _has_words(literal.group(2))
    ]
    reader = _Reader()
    reader.feed(_TAG.sub(_blank, source))
    reader.close()
    return sorted(literals + reader.left)


def all_left(folder: Path = TEMPLATES) -> Iterator[tuple[Path, Left]]:
    for path in sorted([folder] if folder.is_file() else folder.rglob("*.html")):
        for left in left_in_english(path.read_text(encoding="utf-8")):
            yield path, left


if __name__ == "__main__":
    for path, left in all_left(Path(sys.argv[1]) if len(sys.argv) > 1 else TEMPLATES):
        print(f"{path}:{left.line}: {left.words[:150]}")
