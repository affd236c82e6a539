"""What a preview of a table shows of its first rows: shortened cells, the values of a column, a warning."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.format import PREVIEWED
from annotation_platform.corpus.importers.spelling import plain_text
from annotation_platform.corpus.importers.warnings import lone_questions

MOST_NOTED = 1_000_000  # characters of the first rows that are kept for previews
MOST_VALUES = 50  # different ones of a column, of which somebody may say what they stand for


def different(rows: Sequence[Mapping[str, Any]], column: str) -> list[str]:
    """The different values of a column, in their order; of lists what is in them."""
    cells = [row.get(column) for row in rows]
    every = chain.from_iterable(cell if isinstance(cell, list) else [cell] for cell in cells)
    return list(dict.fromkeys(filter(None, map(as_shown, every))))[:MOST_VALUES]


def lone_questions_warning(rows: Sequence[Mapping[str, Any]], mapping: Mapping[str, str]) -> list[Reason]:
    """A warning when the column of the questions' names seems to be one of tasks or judgments."""
    columns = {field: column for column, field in mapping.items() if field}
    if not {"question", "question_id", "annotator"} <= columns.keys():
        return []
    text, name, who = (
        [str(row.get(columns[field]) or "") for row in rows] for field in ("question", "question_id", "annotator")
    )
    judged = {pair for pair in zip(name, who, strict=True) if all(pair)}
    asked = {pair for pair in zip(name, text, strict=True) if all(pair)}
    is_shared = len(asked) > len({each for _, each in asked}) and len(set(who)) > 1
    if is_shared and judged and len(judged) == len({each for each, _ in judged}):
        return [lone_questions(columns["question_id"])]
    return []


def shortened(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows as far as a preview looks at them: shortened texts, and of very wide rows the first ones."""
    kept: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        kept.append({column: _short(value) for column, value in row.items()})
        size += sum(len(str(value)) for value in kept[-1].values())
        if size > MOST_NOTED and len(kept) >= PREVIEWED:
            break
    return kept


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [as_shown(each) for each in value[:MOST_VALUES]]
    return value if value is None or isinstance(value, bool | int) else as_shown(value)


def as_shown(value: Any) -> str:
    """A cell as a preview shows it."""
    return "" if value is None else plain_text(value)[:300]
