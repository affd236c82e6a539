"""Which column of a file is taken for which field: suggested by name, changed by whoever imports."""

import re
from collections.abc import Iterable, Mapping, Sequence

from annotation_platform.core.reasons import Reason
from annotation_platform.corpus.importers.conversations import is_conversation
from annotation_platform.corpus.importers.format import Field

FEWEST_ALIKE = 4  # characters; shorter beginnings are alike by chance


def choose_columns(
    columns: Sequence[str], fields: Sequence[Field], aliases: Mapping[str, str], chosen: Mapping[str, str]
) -> dict[str, str]:
    """Column → field, "" for columns that are left out.

    Parameters
    ----------
    aliases
        Names that a field goes by in published files → the field's key; in plain form, see :func:`plain`.
    chosen
        What was chosen by hand: stronger than any suggestion.
    """
    known = {field.key for field in fields}
    mapping = {column: chosen.get(column, "") for column in columns}
    for column in columns:
        if column not in chosen:
            mapping[column] = suggested(column, known - set(mapping.values()), aliases)
    return mapping


def wrong_columns(mapping: Mapping[str, str], fields: Sequence[Field], chosen: Mapping[str, str]) -> list[Reason]:
    """What is wrong with a choice of columns, and which fields are needed that no column is taken for."""
    known = {field.key: field for field in fields}
    there_are = Reason("words.there_are", known=[*mapping]) if mapping else Reason("words.there_are_none")
    wrong = [
        Reason("corpus.no_column_but", column=column, there_are=there_are) for column in chosen if column not in mapping
    ]
    for field in dict.fromkeys(filter(None, mapping.values())):
        taken = [column for column, taken_for in mapping.items() if taken_for == field]
        if field not in known:
            wrong.append(Reason("corpus.no_field", field=field, column=taken[0], known=[*known]))
        elif len(taken) > 1:
            wrong.append(Reason("corpus.columns_for_one_field", columns=taken, field=field))
    wrong += (
        Reason("corpus.no_column_for_field", field=field.key, there_are=there_are)
        for field in fields
        if field.is_needed and field.key not in mapping.values()
    )
    return wrong


def suggested(column: str, fields: Iterable[str], aliases: Mapping[str, str]) -> str:
    """The field that a column seems to be: of that name, of a name that is known, or beginning alike; "": none."""
    name = plain(column)
    last = plain(column.rpartition(".")[2])  # data.question is a question
    by_name = {plain(field): field for field in fields}
    for candidate in (name, last, name.removeprefix("is_")):
        if candidate in by_name:
            return by_name[candidate]
        if (alias := aliases.get(candidate)) in by_name.values():
            return alias or ""
    alike = [
        field
        for known, field in by_name.items()
        if min(len(known), len(last)) >= FEWEST_ALIKE
        and (known.startswith(last) or last.startswith(known))
        and not is_conversation(field)  # conversation_id is none
    ]
    return alike[0] if len(alike) == 1 else ""


def plain(name: str) -> str:
    """A name without case, blanks and marks: ``Question ID`` is ``question_id``."""
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")
