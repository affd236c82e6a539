"""Consensus labels into a CSV file, a row for each judged item and aspect."""

from collections.abc import Callable
from typing import BinaryIO

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
        (Kind.TEXT, ("undefined_because",)),
    )
    for name in names
)


def write_consensus(*, study: Study, file: BinaryIO, on_rows: Callable[[int], None]) -> None:
    """Write all rows; ``on_rows`` hears how many more are done, aspect by aspect."""
    from annotation_platform.analysis.sections.consensus.rows import consensus_rows  # statistics, which pages lack

    file.write((",".join(column.name for column in COLUMNS) + "\n").encode())
    lines_of = csv_encoding().lines
    assert lines_of is not None
    for rows in consensus_rows(study):
        if rows:
            file.writelines(line.encode() for line in lines_of(COLUMNS, list(rows)))
        on_rows(len(rows))
