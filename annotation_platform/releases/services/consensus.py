"""Consensus labels into a CSV file, a row for each judged item and aspect."""

from collections.abc import Callable, Sequence
from typing import Any, BinaryIO

from annotation_platform.crowd.adjudication.selectors import Labels, adjudicated_labels
from annotation_platform.releases.selectors.columns import Column, Kind
from annotation_platform.releases.services.blocks import csv_encoding
from annotation_platform.studies.models import Study

COLUMNS = tuple(
    Column(name, kind, "")
    for kind, names in (
        (Kind.TEXT, ("study", "aspect", "article_id", "question_id", "system")),
        (Kind.INTEGER, ("item_id", "candidate", "judgments")),
        (Kind.TEXT, ("majority",)),
        (Kind.NUMBER, ("majority_share",)),
        (Kind.TEXT, ("dawid_skene",)),
        (Kind.NUMBER, ("dawid_skene_posterior",)),
        (Kind.TEXT, ("mace",)),
        (Kind.NUMBER, ("mace_posterior",)),
        (Kind.TEXT, ("undefined_because", "adjudicated")),
    )
    for name in names
)

NAMES = [column.name for column in COLUMNS]
ASPECT, ITEM, CANDIDATE = (NAMES.index(name) for name in ("aspect", "item_id", "candidate"))


def write_consensus(*, study: Study, file: BinaryIO, on_rows: Callable[[int], None]) -> None:
    """Write all rows; ``on_rows`` hears how many more are done, aspect by aspect."""
    from annotation_platform.analysis.sections.consensus.rows import consensus_rows  # statistics, which pages lack

    file.write((",".join(column.name for column in COLUMNS) + "\n").encode())
    lines_of = csv_encoding().lines
    assert lines_of is not None
    decided = adjudicated_labels(study)
    for rows in consensus_rows(study):
        if rows:
            whole: list[Sequence[Any]] = [(*row, _adjudicated(decided, row)) for row in rows]
            file.writelines(line.encode() for line in lines_of(COLUMNS, whole))
        on_rows(len(rows))


def _adjudicated(decided: Labels, row: Sequence[Any]) -> str | None:
    """The label that all adjudicators of an item gave it under an aspect; None where they differ, or none decided."""
    labels = decided.get((row[ITEM], row[ASPECT], row[CANDIDATE] or 0))
    return None if labels is None else " ".join(sorted(labels))
