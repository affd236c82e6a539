"""What an export asks of the database: the HITs in their order, and for some HITs their candidates and judgments.

What is said of a candidate (its article, question, answer, …) is the same for all its judgments. So it is read, sent
and written out once, apart from them, and ``services/blocks.py`` puts them together by what was judged: the candidate
where the scheme has people judge candidates, else the item.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from django.db.models import QuerySet

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.selectors.columns import (
    Column,
    Kind,
    ScoreJoin,
    candidate_columns,
    judgment_columns,
    score_joins,
)
from annotation_platform.releases.selectors.dialects import dialect
from annotation_platform.studies.models import FINISHED_STATES, BatchState, Hit, Study

# The tables of both statements, each with what joins it to those before it. Judgments are reached from the places of
# a HIT: those of one place lie together in an index.
DESCRIBED = {
    "studies_batch batch": "batch.id = hit.batch_id",
    "studies_item item": "item.hit_id = hit.id AND NOT item.is_check",
    "studies_candidate candidate": "candidate.item_id = item.id",
    "corpus_question question": "question.id = item.question_id",
    "corpus_article article": "article.id = question.article_id",
    "corpus_answer answer": "answer.id = candidate.answer_id",
    "corpus_system system": "system.id = answer.system_id",
}
JUDGMENT = "annotations_annotation annotation"
MEMBER = "studies_member member"
JUDGED = {
    "studies_assignment place": "place.hit_id = hit.id",
    JUDGMENT: "annotation.assignment_id = place.id AND NOT annotation.is_check",
    MEMBER: "member.id = annotation.annotator_id",
}
BY_CANDIDATE = {"studies_candidate candidate": "candidate.item_id = annotation.item_id"}
ORDER = "batch.number, hit.position, item.position, candidate.number"
# What precedes the columns of the export, under a name that no aspect can have: by this the lines find each other.
# Of fixed width, so that lines sort by it as bytes: 1, the unit that was judged, and the place in five digits.
KEY_NAME = "#"
REMOVED = "[removed]"
NAMED_BY = "j"  # a letter, so that no program takes such a name for a number
PLACES = 100_000
KEY = f"{10**18} + {{unit}} * {PLACES} + {{place}}"
KEY_WIDTH, UNIT_WIDTH = 19, 14


@dataclass(frozen=True)
class Statement:
    """SQL for some HITs, which are its last parameter; it gives a key, and then the columns of the export."""

    columns: tuple[Column, ...]
    sql: str
    first_parameters: tuple[Any, ...]

    def parameters(self, hits: Iterable[int]) -> tuple[Any, ...]:
        return (*self.first_parameters, dialect().listed.format(", ".join(map(str, hits))))


@dataclass(frozen=True)
class ExportQuery:
    """A row of the export is the columns of a candidate and then those of one of its judgments."""

    study: Study
    states: tuple[BatchState, ...]
    candidates: Statement
    judgments: Statement

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.candidates.columns + self.judgments.columns

    def hits(self) -> QuerySet[Hit, int]:
        """The keys of the HITs, in the order of the export."""
        hits = Hit.objects.filter(batch__study=self.study, batch__state__in=self.states)
        return hits.order_by("batch__number", "position").values_list("pk", flat=True)


@dataclass(frozen=True)
class Disguise:
    """What a release says instead: its own names of annotators and judgments, these made with its secret ``key``, and a
    mark in the place of texts that are not to be in it."""

    release: int
    key: str
    removed: tuple[str, ...] = ()

    def judgment(self, pk: int) -> str:
        """What the release calls a judgment, as its SQL does."""
        return NAMED_BY + sha256(f"{self.key}:{pk}".encode()).hexdigest()[:15]

    def of(self, column: Column) -> Column:
        """The column as the release has it."""
        if column.name == "annotation_id":
            name = f"'{NAMED_BY}' || {dialect().keyed.format('annotation.id')}"
            return Column(column.name, Kind.TEXT, name, (self.key,))
        return without(column, self.removed)


def export_query(
    study: Study,
    *,
    all_batches: bool = False,
    all_revisions: bool = False,
    disguise: Disguise | None = None,
    runs: Sequence[int] | None = None,
) -> ExportQuery:
    """The current judgments of closed batches, or with ``all_batches`` of open ones too.

    With ``all_revisions`` also what the current ones replaced, those of one place from the first to the last. Scores
    are those of the newest finished runs, with ``runs`` (keys) the newest among them.
    """
    scores = score_joins(study, runs)
    described = candidate_columns(study, dialect())
    said = judgment_columns(study, scores, dialect(), taken=described, all_revisions=all_revisions)
    if disguise is not None:
        said = [disguise.of(column) for column in said]
    by_candidate = study.scheme().judges_candidates
    unit, judged_unit = ("candidate.id", "candidate.id") if by_candidate else ("item.id", "annotation.item_id")
    tables = JUDGED | BY_CANDIDATE if by_candidate else dict(JUDGED)
    if disguise is not None:
        del tables[MEMBER]
        tables[f"releases_pseudonym {MEMBER.split()[-1]}"] = (
            f"member.member_id = annotation.annotator_id AND member.release_id = {disguise.release:d}"
        )
    tables[JUDGMENT] += " AND annotation.revision > 0" if all_revisions else " AND annotation.is_current"
    judged = looked_up(tables) + looked_up(score_tables(scores), join="LEFT JOIN")
    return ExportQuery(
        study=study,
        states=(BatchState.OPEN, *FINISHED_STATES) if all_batches else FINISHED_STATES,
        candidates=_statement(KEY.format(unit=unit, place=0), described, looked_up(DESCRIBED), order=ORDER),
        # Sorting them would cost the server more than it costs us to put those of one unit in order.
        judgments=_statement(
            KEY.format(unit=judged_unit, place="place.place"),
            said,
            judged,
            scores,
            order="annotation.id" if all_revisions else "",
        ),
    )


def without(column: Column, removed: Sequence[str]) -> Column:
    """The column with ``[removed]`` in the place of these texts, also as JSON writes them."""
    if column.kind != Kind.TEXT or column.name == "annotator":
        return column
    written = (form for each in removed for form in (each, json.dumps(each, ensure_ascii=False)[1:-1]))
    for text in dict.fromkeys(written):
        column = replace(column, sql=f"replace({column.sql}, %s, %s)", parameters=(*column.parameters, text, REMOVED))
    return column


def looked_up(tables: Mapping[str, str], *, join: str | None = None) -> str:
    return "".join(
        "\n"
        + dialect().look_up.format(
            join=join or dialect().join, table=table, alias=table.split()[-1], condition=condition
        )
        for table, condition in tables.items()
    )


def score_tables(scores: Sequence[ScoreJoin]) -> dict[str, str]:
    """Conditions to be filled in with the run and the aspect of each."""
    return {
        f"scoring_score {score.alias}": f"{score.alias}.run_id = %s"
        f" AND {score.alias}.annotation_id = annotation.id AND {score.alias}.aspect = %s"
        for score in scores
    }


def score_parameters(scores: Sequence[ScoreJoin]) -> list[Any]:
    return [parameter for score in scores for parameter in (score.run.pk, score.aspect)]


def _statement(
    key: str,
    columns: Sequence[Column],
    tables: str,
    scores: Sequence[ScoreJoin] = (),
    *,
    order: str = "",
) -> Statement:
    """Values are read from ``Annotation.values``, the record, not from the rows made of it for queries."""
    cells = [f'{key} AS "{KEY_NAME}"', *(f'{column.sql} AS "{column.name}"' for column in columns)]
    selected = ",\n  ".join(cells)
    sql = f"""SELECT
  {selected}
FROM studies_hit hit{tables}
WHERE hit.id {dialect().among}"""
    if order:
        sql += f"\nORDER BY {order}"
    parameters = [parameter for column in columns for parameter in column.parameters]
    return Statement(tuple(columns), sql, (*parameters, *score_parameters(scores)))


def count_rows(study: Study, *, all_batches: bool = False, all_revisions: bool = False, most: int | None = None) -> int:
    """How many rows an export has at the moment; with ``most``, no further than that."""
    judgments = Annotation.objects.all() if all_revisions else Annotation.objects.current()
    if not all_batches:
        judgments = judgments.filter(item__hit__batch__state__in=FINISHED_STATES)
    rows = judgments.filter(item__study=study).order_by()
    if study.scheme().judges_candidates:
        rows = rows.filter(item__candidates__isnull=False)  # joined: a row for each of them
    return rows[:most].count()
