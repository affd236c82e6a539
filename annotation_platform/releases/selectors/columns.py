"""The columns of an export, from the study's scheme and its scoring runs: one definition for every format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from annotation_platform.core.schemes import Aspect, ChoiceAspect, SentencesAspect
from annotation_platform.releases.selectors.dialects import Dialect
from annotation_platform.scoring.models import RunStatus, ScoringRun
from annotation_platform.studies.models import Study


class Kind(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    TIME = "time"  # ISO 8601 in UTC with microseconds
    NUMBERS = "list of integers"  # "3 5 6 7" in CSV


@dataclass(frozen=True)
class Column:
    """A column's name, its kind, and the SQL expression (with its parameters) that gives it."""

    name: str
    kind: Kind
    sql: str
    parameters: tuple[Any, ...] = ()


@dataclass(frozen=True)
class ScoreJoin:
    """The scores that one run gave to one aspect; ``alias`` names their rows in the query."""

    alias: str
    aspect: str
    run: ScoringRun


def score_joins(study: Study) -> list[ScoreJoin]:
    """The scores to export: of every rescaled aspect, by the newest finished run of each method and scorer."""
    newest: dict[tuple[str, str], ScoringRun] = {}
    for run in study.scoring_runs.filter(status=RunStatus.DONE).order_by("method", "scorer", "-pk"):
        newest.setdefault((run.method, run.scorer), run)
    pairs = [(rescaling.aspect, run) for rescaling in study.scheme().rescale for run in newest.values()]
    return [ScoreJoin(f"score_{number}", aspect, run) for number, (aspect, run) in enumerate(pairs, start=1)]


def export_columns(study: Study, joins: Sequence[ScoreJoin], dialect: Dialect) -> list[Column]:
    """All columns in their order. Names are distinct: one that is taken is prefixed with ``aspect_``."""
    columns = [
        Column("study", Kind.TEXT, "%s", (study.name,)),
        Column("batch", Kind.INTEGER, "batch.number"),
        Column("article_id", Kind.TEXT, "article.external_id"),
        Column("article_title", Kind.TEXT, "NULLIF(article.title, '')"),
        Column("question_id", Kind.TEXT, "question.external_id"),
        Column("question", Kind.TEXT, "question.text"),
        Column("anchor", Kind.INTEGER, "question.anchor"),
        Column("system", Kind.TEXT, "system.name"),
        Column("item_id", Kind.INTEGER, "item.id"),
        Column("answer", Kind.TEXT, "answer.text"),
        Column("annotator", Kind.TEXT, "member.pseudonym"),
        Column("replicate", Kind.INTEGER, "place.replicate"),
    ]
    closing = [
        Column("seconds", Kind.NUMBER, "annotation.seconds"),
        Column("revision", Kind.INTEGER, "annotation.revision"),
        Column("created_at", Kind.TIME, dialect.time.format("annotation.created_at")),
        Column("scheme", Kind.TEXT, "%s", (study.scheme_version.key,)),
        Column("scheme_version", Kind.INTEGER, "%s", (study.scheme_version.number,)),
        Column("annotation_id", Kind.INTEGER, "annotation.id"),
    ]
    asked = [column for aspect in study.scheme().aspects for column in _aspect_columns(aspect, dialect)]
    scored = [column for join in joins for column in _score_columns(join)]
    return [*columns, *_distinct([*asked, *scored], taken={column.name for column in [*columns, *closing]}), *closing]


def _aspect_columns(aspect: Aspect, dialect: Dialect) -> Iterator[Column]:
    value = dialect.value.format(key=aspect.key)
    if isinstance(aspect, SentencesAspect):
        yield Column(aspect.key, Kind.NUMBERS, dialect.numbers.format(value))
        yield Column(f"{aspect.key}_count", Kind.INTEGER, dialect.count.format(key=aspect.key))
        return
    yield Column(aspect.key, Kind.TEXT, value)
    if isinstance(aspect, ChoiceAspect):
        numbered = [choice for choice in aspect.scale.choices if choice.number is not None]
        cases = " ".join(["WHEN %s THEN %s"] * len(numbered))
        number = f"CASE {value} {cases} END" if numbered else "NULL"
        parameters = [part for choice in numbered for part in (choice.key, choice.number)]
        yield Column(f"{aspect.key}_number", Kind.NUMBER, dialect.number.format(number), tuple(parameters))


def _score_columns(join: ScoreJoin) -> Iterator[Column]:
    name, alias = f"{join.aspect}_{join.run.scorer}", join.alias
    yield Column(f"{name}_score", Kind.NUMBER, f"{alias}.value")
    yield Column(f"{name}_source", Kind.TEXT, f"{alias}.source")
    yield Column(f"{name}_explanation_score", Kind.NUMBER, f"{alias}.explanation_score")
    yield Column(f"{name}_run", Kind.INTEGER, f"{alias}.run_id")


def _distinct(columns: Iterable[Column], *, taken: set[str]) -> Iterator[Column]:
    for column in columns:
        name = column.name
        while name in taken:
            name = f"aspect_{name}"
        taken.add(name)
        yield replace(column, name=name)
