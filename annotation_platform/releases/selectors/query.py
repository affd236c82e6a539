"""The one SQL statement that gives all rows of an export, in their order, however many they are."""

from dataclasses import dataclass
from typing import Any

from annotation_platform.annotations.models import Annotation
from annotation_platform.releases.selectors.columns import Column, export_columns, score_joins
from annotation_platform.releases.selectors.dialects import dialect
from annotation_platform.studies.models import BatchState, Study

CLOSED = (BatchState.CLOSED, BatchState.SCORED)  # what Annotation.objects.closed() is about


@dataclass(frozen=True)
class ExportQuery:
    """A statement with its parameters, and the columns that it gives."""

    columns: tuple[Column, ...]
    sql: str
    parameters: tuple[Any, ...]


def export_query(study: Study, *, all_batches: bool = False) -> ExportQuery:
    """One row per annotator × item: the current judgments of closed batches, or with ``all_batches`` of open ones too.

    The tables are joined from the batch down to its judgments, each by an index, so that rows come in order as
    they are found: nothing but one batch is ever sorted, and sending begins at once. Values are read from
    ``Annotation.values``, the record, not from the rows made of it for queries.
    """
    words, joins = dialect(), score_joins(study)
    columns = export_columns(study, joins, words)
    states = (BatchState.OPEN, *CLOSED) if all_batches else CLOSED
    scores = "".join(
        f"\nLEFT JOIN scoring_score {join.alias} ON {join.alias}.run_id = %s"
        f" AND {join.alias}.annotation_id = annotation.id AND {join.alias}.aspect = %s"
        for join in joins
    )
    selected = ",\n  ".join(f'{column.sql} AS "{column.name}"' for column in columns)
    sql = f"""SELECT
  {selected}
FROM studies_batch batch
{words.join} studies_hit hit ON hit.batch_id = batch.id
{words.join} studies_item item ON item.hit_id = hit.id
{words.join} corpus_answer answer ON answer.id = item.answer_id
{words.join} corpus_question question ON question.id = answer.question_id
{words.join} corpus_article article ON article.id = question.article_id
{words.join} corpus_system system ON system.id = answer.system_id
{words.join} annotations_annotation annotation ON annotation.item_id = item.id
{words.join} studies_member member ON member.id = annotation.annotator_id
{words.join} studies_assignment place ON place.id = annotation.assignment_id{scores}
WHERE batch.study_id = %s AND batch.state IN ({", ".join(["%s"] * len(states))}) AND annotation.is_current
ORDER BY batch.number, hit.position, item.position, place.place, annotation.id"""
    parameters = (
        *(parameter for column in columns for parameter in column.parameters),
        *(parameter for join in joins for parameter in (join.run.pk, join.aspect)),
        study.pk,
        *(state.value for state in states),
    )
    return ExportQuery(tuple(columns), sql, parameters)


def count_rows(study: Study, *, all_batches: bool = False) -> int:
    """How many rows an export has at the moment."""
    judgments = Annotation.objects.current() if all_batches else Annotation.objects.closed()
    return judgments.filter(item__study=study).count()
