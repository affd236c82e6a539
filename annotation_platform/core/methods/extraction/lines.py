"""Labels in the lines of a reply: ``key: label``, headings, numbered lists, tables."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from annotation_platform.core.methods.extraction.words import alternatives
from annotation_platform.core.methods.judging import Question

FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20, 0xFF5E: 0x7E}
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_PREFIX = r"[\s>#|{•・●▪◦+\-–—]{0,12}(?:(?:q\s?)?\(?\d{1,2}(?:[.):\]]\)?|\s+[-–—]\s)|[①-⑳])?[\s>#|•・\-–—]{0,12}"
_SEPARATOR = r"(?:\s*(?:[:=|\t]|->|=>|→|は(?!い))\s*|\s*(?P<dash>[-–—])\s+|\s+(?P<wide_dash>[-–—])\s*)"
_ORDINAL = re.compile(
    rf"\s*(?:q\s?)?(?:\(?(?P<number>\d{{1,2}})(?:[.):\]]\)?|\s+[-–—]\s)|(?P<circled>[{_CIRCLED}]))\s*(?P<value>.*)",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"\s*(?P<group>[(\[][^()\[\]\n]{0,300}[)\]])\s*(?P<separator>[:=→]|->|[-–—]\s)?\s*")
_MOST_NAMED = 10  # labels that one line can name
_SHORTEST_TITLE = 10  # a shorter one could be a label
_RULE = re.compile(r"[\s|:+\-–—=]*")
_WORDS_AFTER = r"(?:\s+(?:rating|score|label|aspect|criterion|judge?ment|assessment|value|answer|choice|option))?"
_LABEL_COLUMNS = re.compile(
    r"\s*(?:label|rating|score|answer|value|verdict|judge?ment|choice|評価|判定|ラベル|回答)\s*", re.IGNORECASE
)


@dataclass
class Statement:
    """What stands behind a question's name.

    Attributes
    ----------
    question : Question
    value : str
        The rest of the line.
    bracket : str
        A bracket between name and value: the labels to choose from, copied along, or a label.
    below : list of str
        The lines below, up to the next name.
    """

    question: Question
    value: str
    bracket: str = ""
    below: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class NamesInLines:
    """Finds the questions' names in the lines of a reply."""

    questions: tuple[Question, ...]

    def statements(self, text: str) -> list[Statement]:
        """Everything that is said behind a name, in the order in which it stands there."""
        found: list[Statement] = []
        tables = _Tables(self)
        for line in text.splitlines():
            if (cells := tables.read(line)) is not None:
                found.extend(cells)
            elif in_line := list(self._in_line(line)):
                found.extend(in_line)
            elif found:
                found[-1].below.append(line)
        return found

    def named(self, text: str) -> Question | None:
        """The question whose name is all of this text."""
        match = re.fullmatch(
            rf"{_PREFIX}(?:{self._name}){_WORDS_AFTER}[\s:]*", text.translate(FULL_WIDTH), re.IGNORECASE
        )
        return self._question(match) if match else None

    @cached_property
    def _name(self) -> str:
        """Any name, the longest first; which question's it is, the group tells."""
        names = [(name, place) for place, question in enumerate(self.questions) for name in _names(question)]
        names.sort(key=lambda pair: len(pair[0]), reverse=True)
        return "|".join(f"(?P<q{order}_{place}>{name})" for order, (name, place) in enumerate(names))

    @cached_property
    def _statement(self) -> re.Pattern[str]:
        """A name and what separates it from its value, at the start of a line or after a comma."""
        ends = rf"(?:(?=\s*[(\[])|{_SEPARATOR}|(?<=[?.。])\s*|(?=\s*$))"
        return re.compile(
            rf"(?:^{_PREFIX}|(?P<inner>[;,、|/]\s{{0,5}}))(?:{self._name})(?:(?<=\W)|(?!\w)){_WORDS_AFTER}\??{ends}",
            re.IGNORECASE,
        )

    def _question(self, match: re.Match[str]) -> Question:
        group = next(name for name, text in match.groupdict().items() if text is not None and re.match(r"q\d", name))
        return self.questions[int(group.rpartition("_")[2])]

    def _in_line(self, line: str) -> Iterator[Statement]:
        structure = line.translate(FULL_WIDTH)
        matches = [match for match in self._statement.finditer(structure) if self._is_statement(match, structure)]
        if not matches or matches[0]["inner"]:
            return
        for match, following in zip(matches, [*matches[1:], None], strict=True):
            end = following.start() if following else len(line)
            yield self._made(match, line[match.end() : end])

    def _is_statement(self, match: re.Match[str], line: str) -> bool:
        """Within a line only a name with a colon begins a statement."""
        return not match["inner"] or line[: match.end()].rstrip().endswith((":", "="))

    def _made(self, match: re.Match[str], value: str) -> Statement:
        question = self._question(match)
        title = re.match(rf"\s*{_pattern(question.title)}\s*", value.translate(FULL_WIDTH), re.IGNORECASE)
        if title and question.options and len(question.title) >= _SHORTEST_TITLE:
            value = value[title.end() :]
        bracket = ""
        group = _BRACKET.match(value.translate(FULL_WIDTH))
        if group and question.options and value[group.end() :].strip():
            bracket, value = value[group.start("group") : group.end("group")], value[group.end() :]
        value = value.strip()
        is_dash = bool(match["dash"] or match["wide_dash"])
        return Statement(question, f"- {value}" if is_dash and question.has_numbers else value, bracket)


@dataclass
class _Tables:
    """Reads tables row by row: names in the first column, or names in the header."""

    names: NamesInLines
    header: list[str] = field(default_factory=list)
    columns: list[Question | None] = field(default_factory=list)

    def read(self, line: str) -> list[Statement] | None:
        """What a row says; None when the line is no row of a table."""
        structure = line.translate(FULL_WIDTH)
        if "|" not in structure:
            self.header, self.columns = [], []
            return None
        cells = [cell.strip() for cell in structure.strip().strip("|").split("|")]
        if _RULE.fullmatch(structure):
            return []
        if len(self.columns) == len(cells) and any(self.columns):
            return [Statement(asked, cell) for asked, cell in zip(self.columns, cells, strict=True) if asked]
        named = [self.names.named(cell) for cell in cells]
        if sum(question is not None for question in named) > 1:
            self.columns = named
            return []
        place = next((place for place, question in enumerate(named[:2]) if question is not None), None)
        question = None if place is None else named[place]
        if place is None or question is None:
            is_row = structure.strip().startswith("|")
            self.header = cells if is_row and not self.header else self.header
            return [] if is_row else None
        return [Statement(question, self._label(cells, place + 1))]

    def _label(self, cells: Sequence[str], first: int) -> str:
        """The cell under a heading such as "Label", or else the one after the name."""
        if len(self.header) == len(cells):
            for place, heading in enumerate(self.header):
                if _LABEL_COLUMNS.fullmatch(heading):
                    return cells[place]
            if len(cells) > first + 1 and any(self.header):
                return " | ".join(cells[first:])
        return cells[first] if first < len(cells) else ""


def in_tags(text: str, questions: Sequence[Question]) -> Iterator[Statement]:
    """What stands in tags with a question's name: ``<name>label</name>``."""
    for question in questions:
        tag = re.escape(question.key)
        for match in re.finditer(rf"<{tag}>(.*?)</{tag}>", text, re.IGNORECASE | re.DOTALL):
            yield Statement(question, match[1].strip())


def by_number(text: str, questions: Sequence[Question]) -> list[Statement]:
    """A numbered list without names. It counts only when every question has its number, once.

    Lines that could all be decimal numbers (``1.5``) are none.
    """
    lines = text.translate(FULL_WIDTH).split()
    if all(re.fullmatch(r"\d+\.\d+", line) for line in lines):
        return []
    found: dict[int, Statement] = {}
    last: Statement | None = None
    for line in text.splitlines():
        match = _ORDINAL.match(line.translate(FULL_WIDTH))
        if match:
            number = int(match["number"] or _CIRCLED.index(match["circled"]) + 1)
            if number in found or not 1 <= number <= len(questions):
                return []
            last = found[number] = Statement(questions[number - 1], line[match.start("value") :].strip())
        elif last is not None:
            last.below.append(line)
    return list(found.values()) if len(found) == len(questions) else []


def by_position(text: str, questions: Sequence[Question]) -> list[Statement]:
    """One label a line, or all in one line, and nothing else."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part.strip() for part in re.split(r"[,;、]", lines[0].translate(FULL_WIDTH))]
    if len(lines) != len(questions):
        return []
    return [Statement(question, line) for question, line in zip(questions, lines, strict=True)]


def named_labels(line: str) -> list[str]:
    """What a line says behind "label:", "score:", an arrow and the like."""
    structure = line.translate(FULL_WIDTH)
    matches = list(re.finditer(alternatives("named"), structure, re.IGNORECASE))
    return [line[match.end() :] for match in matches] if len(matches) <= _MOST_NAMED else []


def _names(question: Question) -> list[str]:
    """Patterns for the names of a question: its key, with or without the candidate's number, and what it asks."""
    key = r"[\s_.-]*".join(map(re.escape, re.split(r"[_.]", question.key)))
    candidate = rf"(?:[\s.]*{question.slot.candidate}(?![.\d]))?" if question.slot.candidate else ""
    return [key + candidate, _pattern(question.title)]


def _pattern(title: str) -> str:
    """A title with any spaces, and with or without the sign at its end."""
    words = title.translate(FULL_WIDTH).split()
    bare = r"\s+".join(map(re.escape, words))
    return re.sub(r"(?:\\?[?.:。])+$", "", bare) + r"[?.:。]?"
